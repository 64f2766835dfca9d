// Reads and writes JSON. Checks that each value exists, and its type and range, before it is used.
#pragma once

#include "core/prelude.hpp"

#include <nlohmann/json.hpp>

namespace tapehead {

using Json = nlohmann::ordered_json;  // its members keep their order

constexpr Index most_in_json = 1'000'000'000'000'000;  // limit of counts: more than any real count

// Parses the JSON of any file. Throws IoError that begins with `where` (a file, or a line of it) if
// the text is not JSON or is nested too deeply. The depth is limited because copying and printing a
// value recurse.
Json parse_json(std::string_view text, const std::string& where);

// The same for a file of at most most_settings_bytes.
Json parse_json_file(const fs::path& file);

// The same with sorted members, for tables with many lookups.
nlohmann::json parse_sorted_json(std::string_view text, const std::string& where);

// The text of a value: one line or, with an indent, several lines. Invalid UTF-8 becomes U+FFFD.
std::string json_text(const Json& json, int indent = -1);

// The members of an object. Each function throws IoError that begins with `where` and names the
// member if it is missing or invalid.
class JsonObject {
 public:
  // Keeps references to both arguments.
  JsonObject(const Json& json, const std::string& where);

  const Json& json() const { return json_; }
  bool has(const char* key) const { return json_.contains(key); }
  const Json& member(const char* key) const;
  const Json& list(const char* key) const { return member(key, Json::value_t::array, "a list"); }
  const Json& table(const char* key) const { return member(key, Json::value_t::object, "a table"); }
  Index count(const char* key, Index least = 0, Index most = most_in_json) const;
  double number(const char* key, double least = std::numeric_limits<double>::lowest()) const;
  double seconds(const char* key) const;  // from 0 to about 30,000 years
  std::string text(const char* key) const {
    return member(key, Json::value_t::string, "a text").get<std::string>();
  }
  bool flag(const char* key) const {
    return member(key, Json::value_t::boolean, "true or false").get<bool>();
  }
  std::vector<std::string> texts(const char* key) const;

  [[noreturn]] void fail(const char* key, const std::string& expected) const;

 private:
  const Json& member(const char* key, Json::value_t type, const char* expected) const;

  const Json& json_;
  const std::string& where_;
};

// The value of a member, if it is a whole number from 0 on.
std::optional<Index> count_in(const Json& json, std::string_view key);

}  // namespace tapehead
