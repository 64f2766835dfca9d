// The fields of serialised messages, with examples from the Protocol Buffers documentation.
#include "datasets/tokenizers/sentencepiece_fields.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

using namespace std::string_view_literals;

TEST(SerializedFields, are_those_of_the_documentation) {
  std::string_view message = "\x08\x96\x01\x12\x07testing\x1D\x00\x00\x80\x3F"sv;
  const SerializedField number = take_field(message);  // "Encoding", "A Simple Message"
  EXPECT_EQ(number.number, 1U);
  EXPECT_EQ(number.value, 150U);
  EXPECT_EQ(number.whole, "\x08\x96\x01"sv);
  const SerializedField text = take_field(message);  // "Length-Delimited Records"
  EXPECT_EQ(text.number, 2U);
  EXPECT_EQ(text.content, "testing");
  const SerializedField one = take_field(message);  // 1.0f in IEEE 754
  EXPECT_EQ(one.number, 3U);
  EXPECT_EQ(one.content, "\x00\x00\x80\x3F"sv);
  EXPECT_TRUE(message.empty());
  EXPECT_EQ(serialized_field(1, 150), number.whole);
  EXPECT_EQ(serialized_field(2, "testing"), text.whole);
}

TEST(SerializedFields, that_are_cut_off_are_refused) {
  const auto error = [](std::string_view message) {
    return message_of<DataError>([&] { take_field(message); });
  };
  EXPECT_THAT(error("\x08\x96"sv), HasSubstr("without an end"));
  EXPECT_THAT(error("\x12\x07test"sv), HasSubstr("longer than the model"));
  EXPECT_THAT(error("\x1D\x00"sv), HasSubstr("longer than the model"));
  EXPECT_THAT(error("\x0B"sv), HasSubstr("unknown type"));  // a group
}

}}  // namespace tapehead
