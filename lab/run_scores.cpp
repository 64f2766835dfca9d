#include "lab/run_scores.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/errors.hpp"
#include "core/files.hpp"

namespace tapehead {

namespace {

using Json = nlohmann::ordered_json;

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

Json json_of(const ExampleScore& example) {
  return {{"negative_log_likelihood", example.negative_log_likelihood},
          {"tokens", example.tokens},
          {"correct", example.correct},
          {"output", example.output},
          {"reference", example.reference},
          {"right", example.right}};
}

// Where the file does not say what is right (those of version 0.1 did not), equal text is.
ExampleScore example_of(const Json& json) {
  return {.negative_log_likelihood = json.at("negative_log_likelihood"),
          .tokens = json.at("tokens"),
          .correct = json.at("correct"),
          .output = json.at("output"),
          .reference = json.at("reference"),
          .right = json.value("right", json.at("output") == json.at("reference"))};
}

Json json_of(const RunStudy& study) {
  return {{"further_splits", study.further_splits},
          {"heads", study.heads},
          {"importance", study.importance},
          {"pruning", study.pruning}};
}

RunStudy study_of(const Json& json) {
  return {.further_splits = json.at("further_splits"),
          .heads = json.at("heads"),
          .importance = json.at("importance"),
          .pruning = json.at("pruning")};
}

// JSON has no numbers that are not finite, and null in their place.
std::map<std::string, double> figures_of(const Json& json) {
  std::map<std::string, double> figures;
  for (const auto& [name, value] : json.items()) {
    figures[name] = value.is_null() ? std::nan("") : value.get<double>();
  }
  return figures;
}

RunScores head_of(const Json& json) {
  return {.split = json.at("split"),
          .checkpoint = json.at("checkpoint"),
          .parameters = json.at("parameters"),
          .multiply_adds_per_token = json.at("multiply_adds_per_token"),
          .steps = json.at("steps"),
          .tokens = json.at("tokens"),
          .seconds = json.at("seconds"),
          .study = study_of(json.at("study")),
          .figures = figures_of(json.at("figures")),
          .examples = {}};
}

}  // namespace

std::filesystem::path scores_file(const std::filesystem::path& run) { return run / "scores.jsonl"; }

void write_scores(const std::filesystem::path& run, const RunScores& scores) {
  std::string text = line_of({{"split", scores.split},
                              {"checkpoint", scores.checkpoint},
                              {"parameters", scores.parameters},
                              {"multiply_adds_per_token", scores.multiply_adds_per_token},
                              {"steps", scores.steps},
                              {"tokens", scores.tokens},
                              {"seconds", scores.seconds},
                              {"study", json_of(scores.study)},
                              {"figures", scores.figures},
                              {"examples", scores.examples.size()}});
  for (const ExampleScore& example : scores.examples) {
    text += line_of(json_of(example));
  }
  write_file_atomically(scores_file(run), text);
}

RunScores read_scores(const std::filesystem::path& run) {
  const std::filesystem::path file = scores_file(run);
  std::istringstream lines(read_file(file));
  std::string line;
  try {
    std::getline(lines, line);
    const Json head = Json::parse(line);
    RunScores scores = head_of(head);
    while (std::getline(lines, line)) {
      scores.examples.push_back(example_of(Json::parse(line)));
    }
    if (scores.examples.empty() || scores.examples.size() != head.at("examples")) {
      throw IoError(fmt::format("{} does not hold the examples that it names", file.string()));
    }
    return scores;
  } catch (const Json::exception& error) {
    throw IoError(fmt::format("{} cannot be read: {}", file.string(), error.what()));
  }
}

}  // namespace tapehead
