#include "lab/report/run.hpp"

#include "lab/cyclic_spectrum.hpp"
#include "lab/report/page.hpp"
#include "train/run/checkpoints.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Adds the part "spectrum":
//
// {"tokens": 97, "most": 0.9, "checkpoints": [{"step": 100, "shares": [0.021, ...],
//  "frequencies": 42, "gini": 0.1}, ...]}
//
// For the first and the last step that the run keeps or, if requested, every step. Share k - 1
// belongs to frequency k; "frequencies" of them, the largest, have the share "most" together. Adds
// nothing if no step is kept. If a checkpoint is unreadable, only this part is missing, unless
// every checkpoint was requested.
void add_spectrum(Json& report, const Task& task, const ReportRequest& request) {
  try {
    const Checkpoints checkpoints(RunFiles{request.run}.checkpoints(), "step");
    std::vector<Index> steps = checkpoints.steps();
    std::ranges::reverse(steps);
    if (!request.every_checkpoint && steps.size() > 2) {
      steps = {steps.front(), steps.back()};
    }
    const auto at_step = [&](Index step) -> Json {
      const SavedRun saved(request.run, checkpoints.file(step).string());
      const CyclicSpectrum spectrum = embedding_spectrum(saved.model, task.cyclic_tokens);
      // More digits would make the page larger.
      const auto rounded = [](double share) { return std::round(share * 1e6) / 1e6; };
      return {{"step", step},
              {"shares", mapped(spectrum.shares, rounded)},
              {"frequencies", spectrum.frequencies_with(most_of_spectrum)},
              {"gini", spectrum.gini()}};
    };
    if (!steps.empty()) {
      Json spectrum = {{"tokens", task.cyclic_tokens.size()},
                       {"most", most_of_spectrum},
                       {"checkpoints", mapped(steps, at_step)}};
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

// Adds to a sentence, which has the same tokens as `batch`, the weights at kept checkpoints.
void add_history(Json& sentence, const ReportRequest& request, const Batch& batch) {
  const Checkpoints checkpoints(RunFiles{request.run}.checkpoints(), "step");
  std::vector<Index> steps = checkpoints.steps();
  std::ranges::reverse(steps);
  const Index kept = std::ssize(steps);
  const Index most = shown_weights / std::max<Index>(1, weights_of(sentence));
  const Index moments = std::min({most_moments, kept, most});
  sentence["kept"] = kept;
  for (Index i = 0; i < moments && moments > 1; ++i) {
    const Index step = steps[static_cast<std::size_t>(i * (kept - 1) / (moments - 1))];
    const SavedRun saved(request.run, checkpoints.file(step).string());
    Json then = sentence_json(
        saved.use([&] { return inspect(saved.model, saved.tokenizers, batch); }), {}, {});
    sentence["history"].push_back({{"step", step}, {"attentions", std::move(then["attentions"])}});
  }
}

void add_model(Json& report, SavedRun& run, const Task& task, const ReportRequest& request) {
  const Split& split = task.split(request.split);
  if (request.task == nullptr) {  // a caller that has loaded the task has reported this already
    say_unknown(split);
  }
  Workers workers(request.threads);
  constexpr Index usual_sentences = 8;
  std::vector<Index> sentences = request.sentences;
  if (sentences.empty()) {
    sentences = mapped(numbers_below(std::min(usual_sentences, split.size())), std::identity());
  }
  request.progress("the outputs without each head");
  report["sentences"] = report_sentences(run.model, run.config, task, split, sentences,
                                         request.effort.outputs, workers);
  Index weights = 0;
  std::optional<Batch> first;  // of the sentence that the page shows first
  for (const std::string& text : request.texts) {
    const Inspection inspection = inspect_text(run, {.text = text}, workers);
    Json sentence = sentence_json(inspection.sequence, text, {});
    weights += weights_of(sentence);
    if (report.contains("texts") && weights > shown_weights) {
      report["notes"].push_back(
          fmt::format("{} texts were given, but only the first {} are shown: the weights of more "
                      "would make the page too large.",
                      request.texts.size(), report["texts"].size()));
      break;
    }
    first = first.value_or(inspection.text.batch);
    report["texts"].push_back(std::move(sentence));
  }
  if (!first && !sentences.empty()) {
    first = pack(*split.source, {sentences.front()});
  }
  if (first) {
    if (request.every_checkpoint) {
      add_history(report[request.texts.empty() ? "sentences" : "texts"][0], request, *first);
    }
    report["walk"] = first_walk(run.model, *first, inspect(run.model, run.tokenizers, *first));
  }
  if (report["sentences"].size() < sentences.size()) {
    report["notes"].push_back(
        fmt::format("{} sentences were chosen, but only the first {} are shown: the weights of "
                    "more would make the page too large.",
                    sentences.size(), report["sentences"].size()));
  }
  if (!task.cyclic_tokens.empty()) {
    add_spectrum(report, task, request);
  }
  report["heads"] = report_heads_json(run.model, run.config, task, split, request, workers);
  expect_figures(report["heads"]);
  if (request.every_checkpoint) {
    report["head_curves"] = head_curves_json(request, task, split, workers);
    expect_figures(report["head_curves"]);
  }
}

// For an error that is being handled: adds a note that nothing is known about the model. Throws the
// error again if the request names checkpoints.
void note_unknown(Json& report, const ReportRequest& request, const std::exception& error) {
  if (!request.checkpoint.empty() || request.every_checkpoint) {
    throw;
  }
  for (const char* part : {"sentences", "texts", "walk", "spectrum", "heads", "head_curves"}) {
    report.erase(part);
  }
  report["notes"].push_back(fmt::format("Samples and heads are missing: {}", error.what()));
}

}  // namespace

ReportEffort effort_of_training(Index validation_examples) {
  return {.watched = std::min<Index>(100, validation_examples),
          .importance = std::min<Index>(2000, validation_examples),
          .pruning = 0,
          .outputs = std::min<Index>(400, validation_examples)};
}

Json report_run(const ReportRequest& request) {
  const RunFiles files = find_run(request.run);
  Json curves = report_curves(files);
  Json report = run_facts(files, curves["last_step"].get<Index>());
  report["notes"] = std::move(curves["faults"]);
  if (!curves["samples"].empty()) {
    report["samples"] = std::move(curves["samples"]);
  }
  curves.erase("faults");
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
