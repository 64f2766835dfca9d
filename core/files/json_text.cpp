#include "core/files/json_text.hpp"

#include "core/files/files.hpp"

namespace tapehead {

namespace {

constexpr int deepest = 32;  // tapehead's own files: 5; tokenizer.json: 7

bool is_count(const Json& value, Index least, Index most) {
  if (value.is_number_unsigned()) {
    return most >= 0 && value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most) &&
           static_cast<Index>(value.get<std::uint64_t>()) >= least;
  }
  return value.is_number_integer() && value.get<Index>() >= least && value.get<Index>() <= most;
}

template <class Text>
Text parse(std::string_view text, const std::string& where) {
  const auto check = [&](int depth, typename Text::parse_event_t, Text&) {
    if (depth > deepest) {
      throw IoError("{}: nested deeper than {} levels", where, deepest);
    }
    return true;
  };
  try {
    return Text::parse(text.begin(), text.end(), check);
  } catch (const typename Text::exception& error) {
    constexpr std::size_t most = 200;   // a reason quotes the text of the file
    std::string reason = error.what();  // "[json.exception.parse_error.101] ..."
    reason.erase(0, reason.find("] ") + 2);
    throw IoError("{}: not JSON ({})", where, reason.substr(0, most));
  }
}

}  // namespace

Json parse_json(std::string_view text, const std::string& where) {
  return parse<Json>(text, where);
}

Json parse_json_file(const std::filesystem::path& file) {
  return parse_json(read_file(file, most_settings_bytes), file.string());
}

nlohmann::json parse_sorted_json(std::string_view text, const std::string& where) {
  return parse<nlohmann::json>(text, where);
}

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

JsonObject::JsonObject(const Json& json, const std::string& where) : json_(json), where_(where) {
  if (!json.is_object()) {
    throw IoError("{}: not a JSON object", where);
  }
}

void JsonObject::fail(const char* key, const std::string& expected) const {
  throw IoError("{}: '{}' is not {}", where_, key, expected);
}

const Json& JsonObject::member(const char* key) const {
  const auto found = json_.find(key);
  if (found == json_.end()) {
    throw IoError("{}: there is no '{}'", where_, key);
  }
  return *found;
}

const Json& JsonObject::member(const char* key, Json::value_t type, const char* expected) const {
  const Json& value = member(key);
  if (value.type() != type) {
    fail(key, expected);
  }
  return value;
}

Index JsonObject::count(const char* key, Index least, Index most) const {
  const Json& value = member(key);
  if (!is_count(value, least, most)) {
    fail(key, fmt::format("a whole number from {} to {}", least, most));
  }
  return value.get<Index>();
}

double JsonObject::number(const char* key, double least) const {
  const Json& value = member(key);
  if (!value.is_number() || value.get<double>() < least) {
    fail(key, least == std::numeric_limits<double>::lowest()
                  ? "a number"
                  : fmt::format("a number of {} or more", least));
  }
  return value.get<double>();
}

double JsonObject::seconds(const char* key) const {
  constexpr double most = 1e12;
  const double value = number(key, 0);
  if (value > most) {
    fail(key, fmt::format("a number from 0 to {}", most));
  }
  return value;
}

std::vector<std::string> JsonObject::texts(const char* key) const {
  return mapped(list(key), [&](const Json& text) {
    if (!text.is_string()) {
      fail(key, "a list of texts");
    }
    return text.get<std::string>();
  });
}

std::optional<Index> count_in(const Json& json, std::string_view key) {
  const auto found = json.find(key);
  return found != json.end() && is_count(*found, 0, most_in_json)
             ? std::optional(found->get<Index>())
             : std::nullopt;
}

}  // namespace tapehead
