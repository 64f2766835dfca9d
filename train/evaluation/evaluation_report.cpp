#include "train/evaluation/evaluation_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/shown.hpp"
#include "train/metrics/likelihood.hpp"
#include "train/output/program_path.hpp"
#include "train/output/text_table.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Calls visit(kind, value, signature) for each metric that was measured.
template <class Visitor>
void for_each_metric(const Evaluation& evaluation, const Visitor& visit) {
  for (std::size_t i = 0; i < metric_count; ++i) {
    if (evaluation.metrics[i]) {
      visit(*metric_kinds[i], *evaluation.metrics[i], evaluation.signatures[i]);
    }
  }
}

// Those that lines and tables have.
template <class Visitor>
void for_each_shown(const Evaluation& evaluation, const Visitor& visit) {
  const bool all = kind_of(evaluation.chooses).further;
  for_each_metric(evaluation,
                  [&](const MetricKind& kind, double value, const std::string& signature) {
                    if (all || !kind.further) {
                      visit(kind, value, signature);
                    }
                  });
}

// The types of each split that has some, and below a rule their groups.
std::string type_table(const std::vector<std::pair<std::string, Evaluation>>& results) {
  Table table({Align::left, Align::left, Align::right, Align::right});
  table.row({"split", "type", "examples", "sequences right"});
  for (const auto& [name, result] : results) {
    const auto add = [&](const std::vector<TypeScore>& scores) {
      if (!scores.empty()) {
        table.rule();
      }
      for (const TypeScore& score : scores) {
        table.row({name, shown(score.name), std::to_string(score.examples),
                   metric_text(sequence_accuracy_metric, score.share())});
      }
    };
    add(result.by_type.types);
    add(result.by_type.groups);
  }
  return table.text();
}

}  // namespace

std::string evaluation_line(const std::string& split, const Evaluation& evaluation) {
  std::string line;
  for_each_shown(evaluation, [&](const MetricKind& kind, double value, const std::string&) {
    line += fmt::format("{} {} {}", line.empty() ? ":" : ",", kind.words, metric_text(kind, value));
  });
  return split + line;
}

nlohmann::ordered_json evaluation_json(const Evaluation& evaluation) {
  nlohmann::ordered_json json;
  for_each_metric(evaluation,
                  [&](const MetricKind& kind, double value, const std::string& signature) {
                    json[std::string(kind.name)] = value;
                    if (!signature.empty()) {
                      json[std::string(kind.name) + "_signature"] = signature;
                    }
                  });
  for (const PositionLoss& range : evaluation.loss_by_position.ranges()) {
    json["loss_by_position"].push_back({{"first", range.first},
                                        {"last", range.last},
                                        {"tokens", range.tokens},
                                        {"loss", range.mean()}});
  }
  if (!evaluation.by_type.types.empty()) {
    json["types"] = type_scores_json("type", evaluation.by_type.types);
  }
  if (!evaluation.by_type.groups.empty()) {
    json["type_groups"] = type_scores_json("group", evaluation.by_type.groups);
  }
  if (evaluation.answers.measured()) {
    json["answer_accuracy"] = evaluation.answers.answer_accuracy();
    json["other_accuracy"] = evaluation.answers.other_accuracy();
  }
  if (evaluation.confusion) {
    json["confusion"] = confusion_json(*evaluation.confusion);
  }
  if (evaluation.unknown > 0) {
    json["unknown_tokens"] = evaluation.unknown;
  }
  json["examples"] = evaluation.examples;
  json["seconds"] = evaluation.seconds;
  return json;
}

std::string evaluation_table(const std::vector<std::pair<std::string, Evaluation>>& results) {
  std::vector<std::string> headings{"split", "examples"};
  for_each_shown(results.front().second, [&](const MetricKind& kind, double, const std::string&) {
    headings.emplace_back(kind.heading);
  });
  std::vector<Align> columns(headings.size(), Align::right);
  columns.front() = Align::left;
  Table table(columns);
  table.row(headings);
  table.rule();
  std::string signatures;
  for (const auto& [name, result] : results) {
    std::vector<std::string> cells{name, std::to_string(result.examples)};
    const bool first = signatures.empty();
    for_each_shown(result, [&](const MetricKind& kind, double value, const std::string& signature) {
      cells.push_back(metric_text(kind, value));
      if (first && !signature.empty()) {
        signatures += fmt::format("\n  {} {}", kind.words, signature);
      }
    });
    table.row(cells);
  }
  std::string text = table.text() + signatures;
  for (const auto& [name, result] : results) {
    if (result.unknown > 0) {
      text += fmt::format(
          "\n  {}: {} of {} target tokens are unknown, and count as right if the model predicts "
          "unknown too",
          name, result.unknown, result.tokens);
    }
  }
  for (const auto& [name, result] : results) {
    if (result.answers.measured()) {
      text += fmt::format(
          "\n  {}: of {} labels that the sequence itself decides {} are right, of "
          "{} others {}",
          name, result.answers.answers,
          metric_text(token_accuracy_metric, result.answers.answer_accuracy()),
          result.answers.others,
          metric_text(token_accuracy_metric, result.answers.other_accuracy()));
    }
  }
  if (std::ranges::any_of(results,
                          [](const auto& one) { return !one.second.by_type.types.empty(); })) {
    text += "\n\n" + type_table(results);
  }
  return text;
}

std::string end_report(const EndReport& report) {
  std::string text = fmt::format("trained {} in {}; {} of {}:\n", counted(report.steps, "step"),
                                 format_duration(report.seconds), report.checkpoint, report.run);
  text += evaluation_table(report.results) + "\n";
  const bool tested = report.results.front().first != "validation";
  text += fmt::format("next:\n  {0} evaluate {1}{2}\n  {0} {3} {1}", program_path(),
                      shell_word(report.run), tested ? "" : " --split validation", report.command);
  return text;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
