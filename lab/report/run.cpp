#include "lab/report/run.hpp"

#include "lab/cyclic_spectrum.hpp"
#include "lab/report/page.hpp"
#include "train/evaluation/evaluation.hpp"
#include "train/output/text_table.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr Index usual_sentences = 8;

std::vector<Index> sentences_of(const ReportRequest& request, const Split& split) {
  if (!request.sentences.empty()) {
    return request.sentences;
  }
  std::vector<Index> first(static_cast<std::size_t>(std::min(usual_sentences, split.size())));
  std::iota(first.begin(), first.end(), Index{0});
  return first;
}

Json curves_of_heads(const ReportRequest& request, const Task& task, const Split& split,
                     Workers& workers) {
  const Index watched = std::min(request.effort.watched, split.size());
  const auto progress = [&](Index done, Index of) {
    if (request.progress) {
      request.progress(fmt::format("watching the heads, checkpoints: {} of {}", done, of));
    }
  };
  Json json = head_curves_json(head_history(request.run, task, first_examples(split, watched),
                                            workers, progress, request.figures),
                               request.figures);
  json["split"] = split.name;
  json["watched"] = watched;
  return json;
}

Json checkpoint_json(Index step, const CyclicSpectrum& spectrum) {
  Json shares = Json::array();
  for (const double share : spectrum.shares) {
    shares.push_back(std::round(share * 1e6) / 1e6);  // more digits would make the page larger
  }
  return {{"step", step},
          {"shares", std::move(shares)},
          {"frequencies", spectrum.frequencies_with(most_of_spectrum)},
          {"gini", spectrum.gini()}};
}

// {"tokens": 97, "most": 0.9, "checkpoints": [{"step": 100, "shares": [0.021, ...],
//  "frequencies": 42, "gini": 0.1}, ...]}
//
// For the first and the last step that the run keeps or, if requested, every step. Share k - 1
// belongs to frequency k; "frequencies" of them, the largest, have the share "most" together. Null
// without cyclic tokens or kept steps. Throws IoError for an unusable checkpoint.
Json spectrum_json(const ReportRequest& request, const Task& task) {
  if (task.cyclic_tokens.empty()) {
    return {};
  }
  const Checkpoints checkpoints(RunFiles{request.run}.checkpoints(), "step");
  std::vector<Index> steps = checkpoints.steps();
  std::ranges::reverse(steps);
  if (!request.every_checkpoint && steps.size() > 2) {
    steps = {steps.front(), steps.back()};
  }
  Json list = Json::array();
  for (const Index step : steps) {
    const SavedRun saved(request.run, checkpoints.file(step).string());
    list.push_back(checkpoint_json(step, embedding_spectrum(saved.model, task.cyclic_tokens)));
  }
  if (list.empty()) {
    return {};
  }
  return {{"tokens", task.cyclic_tokens.size()},
          {"most", most_of_spectrum},
          {"checkpoints", std::move(list)}};
}

// If a checkpoint is unreadable, only this part is missing, unless every checkpoint was requested.
void add_spectrum(Json& report, const Task& task, const ReportRequest& request) {
  try {
    Json spectrum = spectrum_json(request, task);
    if (!spectrum.is_null()) {
      expect_figures(spectrum);
      report["spectrum"] = std::move(spectrum);
    }
  } catch (const IoError& error) {
    if (request.every_checkpoint) {
      throw;
    }
    report["notes"].push_back(
        fmt::format("The spectrum of the embedding is missing: {}", error.what()));
  }
}

void add_model(Json& report, SavedRun& run, const Task& task, const ReportRequest& request) {
  const Split& split = task.split(request.split);
  if (request.task == nullptr) {  // a caller that has loaded the task has said this already
    say_unknown(split);
  }
  Workers workers(request.threads);
  const std::vector<Index> sentences = sentences_of(request, split);
  report["sentences"] =
      report_sentences(run.model, run.config.evaluation, task, split, sentences, workers);
  expect_figures(report["sentences"]);
  if (!request.texts.empty()) {
    report["texts"] = report_texts(run, request.texts, workers);
  }
  if (report["sentences"].size() < sentences.size()) {
    report["notes"].push_back(
        fmt::format("Of {} sentences the first {} are shown: the weights of more would make the "
                    "page too large.",
                    sentences.size(), report["sentences"].size()));
  }
  add_spectrum(report, task, request);
  report["heads"] = report_heads_json(run.model, run.config, task, split, request, workers);
  expect_figures(report["heads"]);
  if (request.every_checkpoint) {
    report["head_curves"] = curves_of_heads(request, task, split, workers);
    expect_figures(report["head_curves"]);
  }
}

// Adds a note that nothing is known about the model. Throws if the request names checkpoints.
template <class Error>
void note_unknown(Json& report, const ReportRequest& request, const Error& error) {
  if (!request.checkpoint.empty() || request.every_checkpoint) {
    throw error;
  }
  for (const char* part : {"sentences", "texts", "spectrum", "heads", "head_curves"}) {
    report.erase(part);
  }
  report["notes"].push_back(fmt::format("Samples and heads are missing: {}", error.what()));
}

}  // namespace

ReportEffort effort_of_training(Index validation_examples) {
  return {.watched = std::min<Index>(100, validation_examples),
          .importance = std::min<Index>(2000, validation_examples),
          .pruning = 0};
}

Json report_run(const ReportRequest& request) {
  const RunFiles files = find_run(request.run);
  Json curves = report_curves(files);
  Json report = run_facts(files, curves["last_step"].get<Index>());
  report["notes"] = std::move(curves["faults"]);
  curves.erase("faults");
  if (!curves["samples"].empty()) {
    report["samples"] = std::move(curves["samples"]);
  }
  curves.erase("samples");
  report["curves"] = std::move(curves);
  bool read = false;
  try {
    SavedRun run(request.run, request.checkpoint);
    read = true;
    report["summary"].push_back({"parameters", run.model.store.count()});
    report["checkpoint"] = run.checkpoint.filename().string();
    const std::optional<Task> made =
        request.task == nullptr ? std::optional(run.task(request.data)) : std::nullopt;
    run.use([&] { add_model(report, run, made ? *made : *request.task, request); });
  } catch (const IoError& error) {
    note_unknown(report, request, error);
    if (!read && !find_checkpoint(files, "").empty()) {
      report["fault"] = error.what();
    }
  } catch (const NumericError& error) {
    note_unknown(report, request, error);
  }
  return report;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
