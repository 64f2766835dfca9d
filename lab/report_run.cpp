#include "lab/report_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/errors.hpp"
#include "lab/report_attention.hpp"
#include "lab/report_curves.hpp"
#include "lab/report_facts.hpp"
#include "lab/report_heads.hpp"
#include "train/run/run_files.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index usual_sentences = 8;

std::vector<Index> sentences_of(const ReportRequest& request, const Split& split) {
  if (!request.sentences.empty()) {
    return request.sentences;
  }
  std::vector<Index> first(std::min<std::size_t>(usual_sentences, split.examples.size()));
  std::iota(first.begin(), first.end(), Index{0});
  return first;
}

void add_model(Json& report, SavedRun& run, const Task& task, const ReportRequest& request) {
  const Split& split = task.split(request.split);
  if (request.task == nullptr) {  // else it has been said
    say_unknown(split);
  }
  Workers workers(request.threads);
  const std::vector<Index> sentences = sentences_of(request, split);
  report["sentences"] = report_sentences(run, task, split, sentences, workers);
  if (report["sentences"].size() < sentences.size()) {
    report["notes"].push_back(
        fmt::format("Of {} sentences the first {} are shown: the weights of more would make the "
                    "page too large.",
                    sentences.size(), report["sentences"].size()));
  }
  report["heads"] = report_heads_json(run, task, split, request, workers);
}

}  // namespace

ReportEffort effort_of_training(Index validation_examples) {
  return {.watched = std::min<Index>(100, validation_examples),
          .importance = std::min<Index>(2000, validation_examples),
          .pruning = 0};
}

Json report_run(const ReportRequest& request) {
  const RunFiles files = find_run(request.run);
  const Json curves = report_curves(files);
  Json report = run_facts(files, curves["last_step"].get<Index>());
  report["curves"] = curves;
  report["notes"] = Json::array();
  try {
    SavedRun run(request.run, request.checkpoint);
    report["summary"].push_back({"parameters", run.model.store.count()});
    report["checkpoint"] = run.checkpoint.filename().string();
    if (request.task != nullptr) {
      add_model(report, run, *request.task, request);
    } else {
      add_model(report, run, run.task(request.data), request);
    }
  } catch (const IoError& error) {
    if (!request.checkpoint.empty()) {
      throw;  // that one was asked for
    }
    report["notes"].push_back(
        fmt::format("Nothing is known of samples and heads: {}", error.what()));
  }
  return report;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
