#include "lab/report/page.hpp"

#include "core/text.hpp"

namespace tapehead {

namespace {

// Rounds to six digits, more than a page shows.
void shorten(Json& json) {
  if (json.is_number_float()) {
    json = std::strtod(fmt::format("{:.6g}", json.get<double>()).c_str(), nullptr);
  }
  if (json.is_structured()) {
    for (Json& part : json) {
      shorten(part);
    }
  }
}

std::string page_of(const Json& report) {
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

// Removes a part of a report, or of its sentences. Whether there was one.
bool leave_out(Json& report, const std::string& part) {
  auto removed = report.erase(part);
  for (const char* list : {"texts", "sentences"}) {
    if (report.contains(list)) {
      for (Json& sentence : report[list]) {
        removed += sentence.erase(part);
      }
    }
  }
  return removed > 0;
}

}  // namespace

std::string json_for_page(const Json& json) {
  const std::string text = visible(json_text(json));
  // In JSON these characters occur in strings only, where the escapes mean the same.
  return replaced(text, {{"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}});
}

std::string text_for_page(std::string_view text) {
  return replaced(shown(text), {{"<", "&lt;"}, {">", "&gt;"}, {"&", "&amp;"}, {"\"", "&quot;"}});
}

std::string report_page(Json report) {
  shorten(report);
  std::string page = page_of(report);
  // The parts that may be left out, the least needed first.
  for (const auto& [part, words] : {std::pair("history", "The weights over the training"),
                                    {"walk", "One head in numbers"},
                                    {"head_curves", "The curves of the heads"},
                                    {"samples", "The samples"},
                                    {"predictions", "The predictions"},
                                    {"without", "The outputs without single heads"},
                                    {"heads", "The figures of the heads"},
                                    {"texts", "The texts"},
                                    {"sentences", "The sentences"},
                                    {"curves", "The curves"},
                                    {"spectrum", "The frequencies of the embedding"},
                                    {"tests", "The figures of the tests"},
                                    {"config", "The options of the config"},
                                    {"notes", "Other notes"}}) {
    if (page.size() <= most_page_bytes) {
      break;
    }
    if (leave_out(report, part)) {
      report["notes"].push_back(
          fmt::format("{} are left out: the page would have more than 8 MB.", words));
      page = page_of(report);
    }
  }
  return page;
}

}  // namespace tapehead
