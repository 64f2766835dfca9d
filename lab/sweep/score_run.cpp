#include "lab/sweep/score_run.hpp"

#include "lab/cyclic_spectrum.hpp"
#include "lab/heads/conclusions.hpp"
#include "lab/heads/head_report.hpp"
#include "lab/inspection/inspection.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/run_record.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

void add_split(NamedFigures& figures, const std::string& name, const Evaluation& result) {
  for (std::size_t i = 0; i < metric_count; ++i) {
    if (result.metrics[i]) {
      figures[fmt::format("{}.{}", name, metric_kinds[i]->name)] = *result.metrics[i];
    }
  }
  for (const auto* scores : {&result.by_type.types, &result.by_type.groups}) {
    for (const TypeScore& score : *scores) {
      figures[fmt::format("{}.{}.sequence_accuracy", name, score.name)] = score.share();
    }
  }
}

// `split`: the split for the test and for the study of heads. If a further split is `train`, uses
// only as many of its first examples as `split` has, and generates no outputs.
NamedFigures study_run(SavedRun& run, const Task& task, const Split& split, const RunStudy& study,
                       Workers& workers) {
  NamedFigures figures;
  for (const std::string& name : study.further_splits) {
    const Split& further = task.split(name);
    const auto measured = [&](const Split& examples, Index decoded) {
      return evaluate(run.model, task, examples, run.config.evaluation, decoded, workers);
    };
    add_split(figures, name,
              name == "train" ? measured(first_examples(further, split.size()), 0)
                              : measured(further, further.outputs()));
  }
  if (!task.cyclic_tokens.empty()) {
    const CyclicSpectrum spectrum = embedding_spectrum(run.model, task.cyclic_tokens);
    figures["embedding.frequencies"] =
        static_cast<double>(spectrum.frequencies_with(most_of_spectrum));
    figures["embedding.gini"] = spectrum.gini();
  }
  if (study.heads) {
    figures.merge(summary_of(study_heads(run.model, run.config, task, *split.source, workers)));
    if (const auto gates = gated_heads(run.model); !gates.empty()) {
      figures.merge(summary_of(gates));
    }
  }
  if (study.importance) {
    figures.merge(summary_of(head_importance(run.model, run.config, task, split, workers)));
  }
  if (study.pruning) {
    figures.merge(
        summary_of(prune_heads(run.model, run.config, task, split, usual_slope_examples, workers)));
  }
  return figures;
}

// Adds the figures of the training steps in metrics.jsonl. Throws IoError for a damaged line.
void add_training(RunScores& scores, const RunFiles& files) {
  double& first_norm = scores.figures["first_gradient_norm"];
  double& norms = scores.figures["gradient_norm"];
  const std::string metrics = read_file(files.metrics());
  Index number = 0;
  for (const std::string_view line : text_lines(metrics)) {
    const std::string where = fmt::format("{}:{}", files.metrics().string(), ++number);
    const auto json = parse_json(line, where);
    const JsonObject object(json, where);
    if (object.has("tokens") && !object.has("split")) {
      const double norm =
          object.member("gradient_norm").is_null() ? HUGE_VAL : object.number("gradient_norm", 0);
      first_norm = scores.steps == 0 ? norm : first_norm;
      norms += norm;
      ++scores.steps;
      scores.tokens += object.count("tokens");
    }
  }
  norms /= static_cast<double>(std::max<Index>(1, scores.steps));
  const auto record = read_record(files.record());
  if (record && record->peak_memory) {
    scores.figures["peak_memory_mb"] = static_cast<double>(*record->peak_memory) / 1e6;
  }
}

// The weights of all heads on a sentence or, if the run can read none of it, on the first example;
// and the walk of the first head.
Json maps_of(const SavedRun& run, const Task& task, const Split& split, const std::string& sentence,
             Workers& workers) {
  constexpr Index shown = 32;  // tokens on each side
  const auto maps = [&](const InspectedSequence& seen, const Batch& batch,
                        const std::string& text) {
    Json json = sentence_json(seen, text, {}, shown);
    json["walk"] = first_walk(run.model, batch, seen);
    return json;
  };
  const auto first = [&] {
    const Batch batch = pack(*split.source, {0});
    const InspectedSequence seen =
        inspect(run.model, {task.source_tokenizer, task.target_tokenizer}, batch);
    return maps(seen, batch, join(seen.source_tokens, " "));
  };
  if (sentence.empty()) {
    return first();
  }
  try {
    const Inspection inspection = inspect_text(run, {.text = sentence}, workers);
    return maps(inspection.sequence, inspection.text.batch, sentence);
  } catch (const DataError&) {
    return first();
  }
}

ExampleScore likelihood(const RunningText& text, const Batch& batch, const CrossEntropy& result) {
  ExampleScore score{.negative_log_likelihood = result.negative_log_likelihood,
                     .tokens = batch.labels.count(),
                     .correct = result.correct};
  if (text.tokens) {
    const TextCounts& counts = text.tokens->counts();
    const double share =
        static_cast<double>(score.tokens) / static_cast<double>(text.tokens->size());
    score.bytes = share * static_cast<double>(counts.bytes);
    score.words = share * static_cast<double>(counts.words);
  }
  return score;
}

std::vector<ExampleScore> likelihoods(const Model& model, const EvaluationOptions& options,
                                      const Split& split, Workers& workers) {
  std::vector<ExampleScore> scores(static_cast<std::size_t>(split.size()));
  const auto keep = [&](const Batch& batch, const CrossEntropy& result) {  // of one example
    scores[static_cast<std::size_t>(batch.examples.front())] =
        likelihood(split.text, batch, result);
  };
  const Index memory = options.memory.value_or(0);
  if (memory == 0) {
    workers.run(split.size(), [&](Index i) {
      Tape tape(false);
      Pass pass(tape, model.store);
      const Batch batch = pack(*split.source, {i});
      keep(batch, batch_loss(model.transformer, pass, batch));
    });
    return scores;
  }
  // Reads each lane alone, so a batch is one window: the example batch.examples.front().
  const EvaluationLanes lanes = evaluation_lanes(split, memory, options.batch_tokens);
  scores.resize(static_cast<std::size_t>(lanes.source->size()));
  workers.run(lanes.list.runs(),
              [&](Index lane) { read_lanes(model, lanes, {.first = lane, .count = 1}, keep); });
  return scores;
}

RunScores score(SavedRun& saved, const Task& task, const Split& split, const RunStudy& study,
                Workers& workers) {
  RunScores scores{.split = split.name,
                   .text = split.text.tokens ? split.text.tokens->digest() : "",
                   .checkpoint = saved.checkpoint.filename().string(),
                   .parameters = saved.model.store.count(),
                   .multiply_adds_per_token = multiply_adds_per_token(saved.config, task),
                   .seconds = read_elapsed_seconds(RunFiles{saved.directory}.checkpoints()),
                   .study = study,
                   .figures = study_run(saved, task, split, study, workers)};
  if (study.maps) {
    scores.maps = maps_of(saved, task, split, study.sentence, workers);
  }
  add_training(scores, {saved.directory});
  const EvaluationOptions& options = saved.config.evaluation;
  scores.examples = likelihoods(saved.model, options, split, workers);
  const auto tokens = decode_tokens(saved.model, split, split.outputs(), options, workers);
  if (const AnswerScores answers = answer_scores(*split.source, tokens); answers.measured()) {
    scores.figures["answer_accuracy"] = answers.answer_accuracy();
    scores.figures["other_accuracy"] = answers.other_accuracy();
  }
  const std::vector<ExampleScore> outputs = written_examples(task, split, tokens);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    scores.examples[i].output = outputs[i].output;
    scores.examples[i].reference = outputs[i].reference;
    scores.examples[i].right = outputs[i].right;
  }
  return scores;
}

}  // namespace

RunScores score_run(const fs::path& run, const std::string& wanted, const RunStudy& study,
                    Workers& workers) {
  SavedRun saved(run, "");
  const Task task = saved.task();
  const bool tested = std::ranges::count(task.splits, std::string_view("test"), &Split::name) > 0;
  const Split& split = task.split(!wanted.empty() ? wanted : tested ? "test" : "validation");
  if (split.size() == 0) {
    throw DataError("the split {} has no examples to test on", split.name);
  }
  return saved.use([&] { return score(saved, task, split, study, workers); });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
