// Checks JSON from files before it is used: whether each value exists, and its type and range.
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/types.hpp"

namespace tapehead {

constexpr Index most_in_json = 1'000'000'000'000'000;  // counts: more than any real one

// How every file is parsed. Throws IoError that begins with `where` (a file, or a line of it) if
// the text is not JSON, or is nested deeper than anything that tapehead writes: copying and
// printing a value recurse, and the library's parser has no such limit.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& where);

// The same for a file, of at most most_settings_bytes.
nlohmann::ordered_json parse_json_file(const std::filesystem::path& file);

// The same with sorted members, for tables in which many are looked up.
nlohmann::json parse_sorted_json(std::string_view text, const std::string& where);

// The members of an object. Each function throws IoError that begins with `where` and names the
// member if it is missing or invalid.
class JsonObject {
 public:
  // Neither argument is copied.
  JsonObject(const nlohmann::ordered_json& json, const std::string& where);

  const nlohmann::ordered_json& json() const { return json_; }
  bool has(const char* key) const { return json_.contains(key); }
  const nlohmann::ordered_json& member(const char* key) const;
  const nlohmann::ordered_json& list(const char* key) const;
  const nlohmann::ordered_json& table(const char* key) const;
  Index count(const char* key, Index least = 0, Index most = most_in_json) const;
  double number(const char* key, double least = std::numeric_limits<double>::lowest()) const;
  double seconds(const char* key) const;  // from 0 to about 30,000 years
  std::string text(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  bool flag(const char* key) const;

  [[noreturn]] void fail(const char* key, const std::string& expected) const;

 private:
  const nlohmann::ordered_json& json_;
  const std::string& where_;
};

// The value of a member, if it is a whole number from 0 on.
std::optional<Index> count_in(const nlohmann::ordered_json& json, std::string_view key);

}  // namespace tapehead
