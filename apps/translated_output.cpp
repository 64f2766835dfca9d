#include "apps/translated_output.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tapehead {

std::string translations_text(const std::vector<Translation>& translations, Index line,
                              bool n_best) {
  std::string text;
  for (const Translation& translation : translations) {
    text += n_best
                ? fmt::format("{} ||| {} ||| {:.4f}\n", line, translation.text, translation.score)
                : translation.text + "\n";
  }
  return text;
}

std::string translations_json(const std::vector<Translation>& translations,
                              const std::string& source) {
  nlohmann::ordered_json json = {{"source", source},
                                 {"translations", nlohmann::ordered_json::array()}};
  for (const Translation& translation : translations) {
    json["translations"].push_back({{"text", translation.text}, {"score", translation.score}});
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace tapehead
