#include "train/evaluation/evaluation_report.hpp"

#include "core/text.hpp"
#include "train/output/text_table.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

struct Measured {
  const MetricKind& kind;
  double value;
  const std::string& signature;
};

std::vector<Measured> measured(const Evaluation& evaluation, bool further) {
  std::vector<Measured> metrics;
  for (std::size_t i = 0; i < metric_count; ++i) {
    if (evaluation.metrics[i] && (further || !metric_kinds[i]->further)) {
      metrics.push_back({*metric_kinds[i], *evaluation.metrics[i], evaluation.signatures[i]});
    }
  }
  return metrics;
}

std::vector<Measured> shown_metrics(const Evaluation& evaluation) {
  return measured(evaluation, kind_of(evaluation.chooses).further);
}

// A row for each type of each split and, below a rule, for each group of types.
std::string type_table(const SplitResults& results) {
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

Json json_of(const char* kind, const TypeScore& score) {
  return {{kind, score.name}, {"examples", score.examples}, {"sequence_accuracy", score.share()}};
}

}  // namespace

std::vector<Split> test_splits(const Task& task) {
  std::vector<Split> splits;
  std::vector<std::shared_ptr<const Source>> sources;
  Split whole{.name = "whole"};
  for (const Split& split : task.splits) {
    if (split.name != "train" && split.name != "validation") {
      splits.push_back(split);
      sources.push_back(split.source);
      std::ranges::copy(split.source_texts, std::back_inserter(whole.source_texts));
      std::ranges::copy(split.references, std::back_inserter(whole.references));
      std::ranges::copy(split.types, std::back_inserter(whole.types));
    }
  }
  if (splits.size() > 1) {
    whole.source = one_after_another(std::move(sources));
    whole.kind = splits.front().kind;
    if (std::ssize(whole.types) != whole.size()) {
      whole.types.clear();  // some of the splits have no types
    }
    splits.push_back(std::move(whole));
  }
  return splits;
}

std::vector<Split> splits_named(const Task& task, const std::string& name) {
  std::vector<Split> tests = test_splits(task);
  if (name == "test" && !tests.empty()) {
    return tests;
  }
  if (name == "whole" && tests.size() > 1) {
    return {tests.back()};
  }
  return {task.split(name)};
}

std::vector<Split> final_splits(const Task& task) {
  std::vector<Split> splits = test_splits(task);
  if (splits.empty()) {
    splits.push_back(task.split("validation"));
  }
  return splits;
}

SplitResults evaluate(const SavedRun& run, const Task& task, const std::string& split,
                      const EvaluationOptions& options, const Team& team) {
  SplitResults results;
  for (const Split& one : splits_named(task, split)) {
    say_unknown(one);
    say_cut_references(one, run.config.evaluation);
    run.use([&] {
      results.emplace_back(one.name, evaluate(run.model, task, one, options, one.outputs(), team));
      expect_figures(evaluation_json(results.back().second));
    });
  }
  return results;
}

std::string evaluation_line(const std::string& split, const Evaluation& evaluation) {
  std::string line;
  for (const auto& [kind, value, signature] : shown_metrics(evaluation)) {
    line += fmt::format("{} {} {}", line.empty() ? ":" : ",", kind.words, metric_text(kind, value));
  }
  return split + line;
}

Json evaluation_json(const Evaluation& evaluation) {
  Json json;
  for (const auto& [kind, value, signature] : measured(evaluation, true)) {
    json[std::string(kind.name)] = value;
    if (!signature.empty()) {
      json[std::string(kind.name) + "_signature"] = signature;
    }
  }
  for (const PositionLoss& range : evaluation.loss_by_position.ranges()) {
    json["loss_by_position"].push_back({{"first", range.first},
                                        {"last", range.last},
                                        {"tokens", range.tokens},
                                        {"loss", range.mean()}});
  }
  for (const TypeScore& type : evaluation.by_type.types) {
    json["types"].push_back(json_of("type", type));
  }
  for (const TypeScore& group : evaluation.by_type.groups) {
    json["type_groups"].push_back(json_of("group", group));
  }
  if (evaluation.answers.measured()) {
    json["answer_accuracy"] = evaluation.answers.answer_accuracy();
    json["other_accuracy"] = evaluation.answers.other_accuracy();
  }
  if (!evaluation.confusion.is_null()) {
    json["confusion"] = evaluation.confusion;
  }
  if (evaluation.unknown > 0) {
    json["unknown_tokens"] = evaluation.unknown;
  }
  json["examples"] = evaluation.examples;
  json["seconds"] = evaluation.seconds;
  return json;
}

std::string evaluation_table(const SplitResults& results) {
  std::vector<std::string> headings{"split", "examples"};
  for (const Measured& metric : shown_metrics(results.front().second)) {
    headings.emplace_back(metric.kind.heading);
  }
  std::vector<Align> columns(headings.size(), Align::right);
  columns.front() = Align::left;
  Table table(columns, headings);
  std::string signatures;
  for (const auto& [name, result] : results) {
    std::vector<std::string> cells{name, std::to_string(result.examples)};
    const bool first = signatures.empty();
    for (const auto& [kind, value, signature] : shown_metrics(result)) {
      cells.push_back(metric_text(kind, value));
      if (first && !signature.empty()) {
        signatures += fmt::format("\n  {} {}", kind.words, signature);
      }
    }
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
      const AnswerScores& of = result.answers;
      text += fmt::format(
          "\n  {}: accuracy on the {} labels that the sequence itself decides: {}, on the {} other "
          "labels: {}",
          name, of.answers, metric_text(token_accuracy_metric, of.answer_accuracy()), of.others,
          metric_text(token_accuracy_metric, of.other_accuracy()));
    }
  }
  if (std::ranges::any_of(results,
                          [](const auto& one) { return !one.second.by_type.types.empty(); })) {
    text += "\n\n" + type_table(results);
  }
  return text;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
