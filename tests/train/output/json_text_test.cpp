// JSON from files: missing, mistyped or out-of-range values are reported with their place.
#include "core/files/json_text.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(JsonText, that_is_none_or_too_deep_is_refused) {
  EXPECT_EQ(parse_json("[1]", "f")[0], 1);
  for (const std::string text : {"", "{", "nul", "1e999", "{\"a\":\"\xff\"}", "[1]]"}) {
    EXPECT_THAT(io_error_of([&] { parse_json(text, "f:3"); }), StartsWith("f:3: not JSON"));
  }
  const std::string deep(1'000'000, '[');
  EXPECT_THAT(io_error_of([&] { parse_json(deep, "f"); }), StartsWith("f: nested deeper"));
  EXPECT_THAT(io_error_of([&] { parse_sorted_json(deep, "f"); }), StartsWith("f: nested deeper"));
}

TEST(JsonText, members_are_looked_at) {
  const std::string where = "f:3";
  const auto json = parse_json(
      R"({"one": 1, "minus": -1, "half": 0.5, "large": 1e300, "huge": 18446744073709551615,
          "text": "x", "null": null, "list": [], "table": {}, "yes": true})",
      where);
  const JsonObject object(json, where);
  EXPECT_EQ(object.count("one"), 1);
  EXPECT_EQ(object.number("half", 0), 0.5);
  EXPECT_EQ(object.text("text"), "x");
  EXPECT_TRUE(object.flag("yes"));
  EXPECT_TRUE(object.list("list").empty());
  EXPECT_TRUE(object.table("table").empty());
  for (const char* key : {"minus", "half", "large", "huge", "text", "null", "list", "missing"}) {
    EXPECT_THAT(io_error_of([&] { static_cast<void>(object.count(key)); }),
                AllOf(StartsWith("f:3: "), HasSubstr(key)));
    EXPECT_FALSE(count_in(json, key)) << key;
  }
  EXPECT_THAT(io_error_of([&] { static_cast<void>(object.count("one", 2)); }),
              HasSubstr("a whole number from 2"));
  EXPECT_THAT(io_error_of([&] { static_cast<void>(object.number("minus", 0)); }),
              HasSubstr("'minus' is not a number of 0 or more"));
  EXPECT_EQ(object.seconds("half"), 0.5);
  EXPECT_THAT(io_error_of([&] { static_cast<void>(object.seconds("large")); }),
              HasSubstr("'large' is not a number from 0 to"));
  EXPECT_THAT(io_error_of([&] { static_cast<void>(object.number("text")); }), HasSubstr("text"));
  EXPECT_THAT(io_error_of([&] { static_cast<void>(object.text("one")); }), HasSubstr("one"));
  EXPECT_THAT(io_error_of([&] { JsonObject(json.at("list"), where); }),
              HasSubstr("not a JSON object"));
}

}}  // namespace tapehead
