#include "datasets/tokenizers/tokenizer_json.hpp"

#include <string>

#include <fmt/format.h>

#include "core/errors.hpp"

namespace tapehead {

namespace {

[[noreturn]] void refuse(std::string_view what, const nlohmann::json& value,
                         const nlohmann::json& supported) {
  throw DataError(
      fmt::format("{} is {}, which is not supported (only {})", what,
                  value.is_string() ? fmt::format("`{}`", value.get<std::string>()) : value.dump(),
                  supported.dump()));
}

// Null if it is missing.
nlohmann::json part_of(const nlohmann::json& of, std::string_view part) {
  const auto found = of.find(part);
  return found == of.end() ? nlohmann::json() : *found;
}

}  // namespace

void expect_type(const nlohmann::json& of, std::string_view part, const nlohmann::json& expected) {
  const nlohmann::json found = part_of(of, part);
  const nlohmann::json type = found.is_null() ? nlohmann::json() : found.at("type");
  if (type != expected) {
    refuse(part, type == "Sequence" ? found : type, expected);
  }
}

void expect_options(const nlohmann::json& of, std::string_view part,
                    std::initializer_list<ExpectedOption> expected) {
  const nlohmann::json found = part_of(of, part);
  for (const auto& [name, usual] : expected) {
    const nlohmann::json value = part_of(found, name);
    if (!value.is_null() && value != "" && value != usual) {
      refuse(fmt::format("{}.{}", part, name), value, usual);
    }
  }
}

FileVocabulary vocabulary_of(const nlohmann::json& tokenizer) {
  auto vocabulary = tokenizer.at("model").at("vocab").get<FileVocabulary>();
  for (const nlohmann::json& token : part_of(tokenizer, "added_tokens")) {
    const auto content = token.at("content").get<std::string>();
    if (!token.value("special", false)) {
      throw DataError(fmt::format(
          "the added token `{}` is text, which is not supported (only marks: \"special\": true)",
          content));
    }
    vocabulary[content] = token.at("id").get<Index>();
  }
  return vocabulary;
}

}  // namespace tapehead
