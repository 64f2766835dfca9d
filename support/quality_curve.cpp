#include "support/quality_curve.hpp"

#include <sstream>
#include <string>

namespace tapehead {

std::vector<nlohmann::ordered_json> quality_curve(std::string_view metrics, double seconds) {
  std::vector<nlohmann::ordered_json> points;
  double tokens = 0;
  std::istringstream lines{std::string(metrics)};
  for (std::string text; std::getline(lines, text);) {
    const auto line = nlohmann::ordered_json::parse(text);
    if (!line.contains("split")) {
      tokens += line.at("tokens").get<double>();
    } else if (line.at("split") == "validation") {
      auto& point = points.emplace_back();
      point = {{"step", line.at("step")}, {"tokens", tokens}};
      for (const char* name : {"loss", "perplexity", "token_accuracy", "bleu", "chrf"}) {
        if (line.contains(name)) {
          point[name] = line.at(name);
        }
      }
    }
  }
  for (auto& point : points) {
    point["minutes"] = seconds / 60 * point.at("tokens").get<double>() / tokens;
  }
  return points;
}

}  // namespace tapehead
