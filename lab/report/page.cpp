#include "lab/report/page.hpp"

#include "core/text.hpp"

namespace tapehead {

std::string json_for_page(const Json& json) {
  const std::string text = visible(json_text(json));
  // In JSON these characters occur in strings only, where the escapes mean the same.
  return replaced(text, {{"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}});
}

std::string text_for_page(std::string_view text) {
  return replaced(shown(text), {{"<", "&lt;"}, {">", "&gt;"}, {"&", "&amp;"}, {"\"", "&quot;"}});
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
