#include "lab/run_scores.hpp"

#include "core/text.hpp"
#include "datasets/loader.hpp"
#include "datasets/make_task.hpp"
#include "train/options/application.hpp"
#include "train/plan/step_flops.hpp"
#include "train/run/data.hpp"

namespace tapehead {

namespace {

Json json_of(const ExampleScore& example) {
  Json json = {{"negative_log_likelihood", example.negative_log_likelihood},
               {"tokens", example.tokens},
               {"correct", example.correct},
               {"output", example.output},
               {"reference", example.reference},
               {"right", example.right}};
  if (example.bytes > 0) {
    json.update({{"bytes", example.bytes}, {"words", example.words}});
  }
  return json;
}

// Files of version 0.1 do not say if an output is right; for these, equal text counts as right.
ExampleScore example_of(const Json& json, const std::string& where) {
  const JsonObject example(json, where);
  const Index tokens = example.count("tokens", 1);
  return {.negative_log_likelihood = example.number("negative_log_likelihood"),
          .tokens = tokens,
          .correct = example.count("correct", 0, tokens),
          .output = example.text("output"),
          .reference = example.text("reference"),
          .right = example.has("right") ? example.flag("right")
                                        : example.text("output") == example.text("reference"),
          .bytes = example.has("bytes") ? example.number("bytes", 0) : 0,
          .words = example.has("words") ? example.number("words", 0) : 0};
}

RunStudy study_of(const Json& json, const std::string& where) {
  const JsonObject study(json, where);
  RunStudy read{{}, study.flag("heads"), study.flag("importance"), study.flag("pruning")};
  read.further_splits = study.texts("further_splits");
  read.maps = study.has("maps");
  read.sentence = read.maps ? study.text("maps") : "";
  return read;
}

// JSON writes numbers that are not finite as null.
std::map<std::string, double> figures_of(const JsonObject& head) {
  std::map<std::string, double> figures;
  for (const auto& [name, value] : head.table("figures").items()) {
    if (!value.is_null() && !value.is_number()) {
      head.fail("figures", "a table of numbers");
    }
    figures[present_name(name)] = value.is_null() ? std::nan("") : value.get<double>();
  }
  return figures;
}

}  // namespace

std::string present_name(const std::string& figure) {
  const std::size_t dot = figure.find('.');
  const std::string kind = figure.substr(0, dot);
  if (dot == std::string::npos || !(kind == "cross" || kind.ends_with("_self"))) {
    return figure;
  }
  const std::string name = figure.substr(dot);
  return kind + (name == ".largest" ? ".confidence" : name == ".self" ? ".same_position" : name);
}

void write_scores(const fs::path& run, const RunScores& scores) {
  const RunStudy& study = scores.study;
  Json head = {{"split", scores.split},
               {"checkpoint", scores.checkpoint},
               {"parameters", scores.parameters},
               {"multiply_adds_per_token", scores.multiply_adds_per_token.value()},
               {"counted_pairs", "allowed"},
               {"steps", scores.steps},
               {"tokens", scores.tokens},
               {"seconds", scores.seconds},
               {"study",
                {{"further_splits", study.further_splits},
                 {"heads", study.heads},
                 {"importance", study.importance},
                 {"pruning", study.pruning}}},
               {"figures", scores.figures},
               {"examples", scores.examples.size()}};
  if (!scores.text.empty()) {
    head["text"] = scores.text;
  }
  if (study.maps) {
    head["study"]["maps"] = study.sentence;
    head["maps"] = scores.maps;
  }
  std::string text = json_text(head) + '\n';
  for (const ExampleScore& example : scores.examples) {
    text += json_text(json_of(example)) + '\n';
  }
  write_file_atomically(RunFiles{run}.scores(), text);
}

RunScores read_scores(const fs::path& run) {
  const fs::path file = RunFiles{run}.scores();
  const std::string text = read_file(file);
  const std::vector<std::string_view> lines = text_lines(text);
  const auto where = [&](std::size_t i) { return fmt::format("{}:{}", file.string(), i + 1); };
  const std::string first = where(0);
  const Json json = parse_json(lines.empty() ? "" : lines.front(), first);
  const JsonObject head(json, first);
  RunScores scores{.split = head.text("split"),
                   .text = head.has("text") ? head.text("text") : "",
                   .checkpoint = head.text("checkpoint"),
                   .parameters = head.count("parameters"),
                   .multiply_adds_per_token = head.number("multiply_adds_per_token", 0),
                   .steps = head.count("steps"),
                   .tokens = head.count("tokens"),
                   .seconds = head.seconds("seconds"),
                   .study = study_of(head.member("study"), first),
                   .figures = figures_of(head),
                   .maps = head.has("maps") ? head.table("maps") : Json()};
  // Earlier versions counted all pairs of attention; their files do not say which pairs count.
  if (!head.has("counted_pairs")) {
    scores.multiply_adds_per_token.reset();
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    scores.examples.push_back(example_of(parse_json(lines[i], where(i)), where(i)));
  }
  if (std::ssize(scores.examples) != head.count("examples", 1)) {
    throw IoError("{} has another number of examples than its first line says", file.string());
  }
  return scores;
}

// Uses the training split as one step: the cost of a token does not depend on the batches.
double multiply_adds_per_token(const Config& config, const Task& task) {
  const auto train = training_epoch(task, config.training.batching(), config.seed, 0).source;
  const StepRows rows = mean_rows(*train, 1, config.training.memory);
  return step_flops(config.model, task.target_tokenizer->size(), rows, CountedPairs::allowed) / 2 /
         rows.labels;
}

void update_cost(RunScores& scores, const fs::path& run) {
  if (scores.multiply_adds_per_token) {
    return;
  }
  const Config config = load_config(RunFiles{run}.config()).config;
  const Task task =
      make_task(find_run_data({run}, config.task, {}),
                {.seed = config.seed, .tokenizers = run, .layout = layout_of(config.model)});
  scores.multiply_adds_per_token = multiply_adds_per_token(config, task);
}

}  // namespace tapehead
