#include "support/quality_curve.hpp"

#include <sstream>
#include <string>

namespace tapehead {

namespace {

nlohmann::ordered_json point_of(const nlohmann::ordered_json& line, double tokens) {
  nlohmann::ordered_json point = {{"step", line.at("step")}, {"tokens", tokens}};
  for (const char* name : {"loss", "perplexity", "token_accuracy", "bleu", "chrf"}) {
    if (line.contains(name)) {
      point[name] = line.at(name);
    }
  }
  return point;
}

}  // namespace

std::vector<nlohmann::ordered_json> quality_curve(std::string_view metrics, double seconds) {
  std::vector<nlohmann::ordered_json> points;
  double tokens = 0;
  std::istringstream lines{std::string(metrics)};
  for (std::string text; std::getline(lines, text);) {
    const auto line = nlohmann::ordered_json::parse(text);
    if (!line.contains("split")) {
      tokens += line.at("tokens").get<double>();
    } else if (line.at("split") == "validation") {
      points.push_back(point_of(line, tokens));
    }
  }
  for (auto& point : points) {
    point["minutes"] = seconds / 60 * point.at("tokens").get<double>() / tokens;
  }
  return points;
}

}  // namespace tapehead
