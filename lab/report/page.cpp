#include "lab/report/page.hpp"

#include "train/metrics/metrics.hpp"

namespace tapehead {

namespace {

std::string replaced(std::string_view text,
                     const std::vector<std::pair<std::string_view, std::string_view>>& pairs) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto found = std::ranges::find_if(
        pairs, [&](const auto& pair) { return text.substr(i).starts_with(pair.first); });
    result += found == pairs.end() ? text.substr(i, 1) : found->second;
    i += found == pairs.end() ? 1 : found->first.size();
  }
  return result;
}

}  // namespace

std::string json_for_page(const Json& json) {
  const std::string text = json_text(json);
  // In JSON these characters occur in strings only, where the escapes mean the same.
  return replaced(text, {{"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}});
}

std::string text_for_page(std::string_view text) {
  return replaced(text, {{"<", "&lt;"}, {">", "&gt;"}, {"&", "&amp;"}, {"\"", "&quot;"}});
}

std::string report_page(const Json& report) {
  Json metrics;  // their formats, the same as in the terminal's tables
  for (const MetricKind* kind : metric_kinds) {
    metrics[std::string(kind->name)] = {
        {"words", kind->words}, {"percent", kind->percent}, {"decimals", kind->decimals}};
  }
  return replaced(report_frame, {{"@title@", text_for_page(report.at("name").get<std::string>())},
                                 {"@style@", report_style},
                                 {"@library@", report_library},
                                 {"@script@", report_script},
                                 {"@metrics@", json_for_page(metrics)},
                                 {"@report@", json_for_page(report)}});
}

}  // namespace tapehead
