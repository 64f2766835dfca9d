// Validation: evaluations during a training, the best weights, and the patience.
#include "train/loop/training.hpp"

#include <spdlog/spdlog.h>

#include "core/text.hpp"
#include "datasets/text/text_options.hpp"
#include "train/evaluation/text_generator.hpp"
#include "train/metrics/ngrams.hpp"
#include "train/options/application.hpp"
#include "train/step/trainer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Each output with its source and, if wrong, its reference. `margin` begins each line.
std::vector<std::string> samples_of(const Split& split, const Evaluation& evaluation, Index count,
                                    std::string_view margin) {
  std::vector<std::string> texts(
      std::min(evaluation.outputs.size(), static_cast<std::size_t>(count)));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i] =
        fmt::format("{0}{1}\n{0}  -> {2}", margin, split.source_texts[i], evaluation.outputs[i]);
    if (!evaluation.right[i]) {
      texts[i] += fmt::format("\n{}  != {}", margin, split.references[i]);
    }
  }
  return texts;
}

}  // namespace

void show_samples(const Split& split, const Evaluation& evaluation, Index count) {
  for (const std::string& text : samples_of(split, evaluation, count, "    ")) {
    spdlog::info("{}", text);
  }
}

void TrainingRun::validate() {
  const Index step = position_.step;
  expect_finite_weights(model_.store, step);
  const Split& split = task_.split("validation");
  const EvaluationOptions& options = config_.evaluation;
  EvaluationOptions greedy = options;
  greedy.beam = 1;
  const auto all = split.outputs();
  const Index decoded = options.decode_examples == 0 ? all : std::min(all, options.decode_examples);
  const Evaluation result = [&] {
    try {
      return evaluate(model_, task_, split, greedy, options.decode ? decoded : 0, team_);
    } catch (const NumericError& error) {
      throw numeric_error(step, error.what());
    }
  }();
  const double loss = result.value(Metric::loss);
  if (!std::isfinite(loss)) {
    throw numeric_error(step, fmt::format("the {} loss is {}", split.name, loss));
  }
  Json line = {{"step", step}, {"split", split.name}};
  line.update(evaluation_json(result));
  // Only record.json has these, for the end of the run.
  for (const char* key : {"seconds", "loss_by_position", "confusion", "types", "type_groups"}) {
    line.erase(key);
  }
  const std::vector<std::string> texts = sample_texts();
  if (!texts.empty()) {
    line["samples"] = texts;
    const auto [words, pairs] = distinct_ngrams(texts);
    line["distinct_1"] = words;
    line["distinct_2"] = pairs;
  }
  sink_.write_evaluation(line,
                         texts.empty() ? samples_of(split, result, options.samples, "") : texts);
  const BestWeights now{.value = result.value(options.metric), .loss = loss};
  const KeptWeights kept = note(value_of_first(team_.ranks, now));
  spdlog::info("step {}: {}{}", step, evaluation_line(split.name, result),
               gain_text(config_, position_, kept));
  show_samples(split, result, options.samples);
  if (!texts.empty()) {
    const std::string text = printable(texts.front());
    spdlog::info("    {}", join(text_lines(text), "\n    "));
  }
}

// Samples of a language model; empty for other tasks.
std::vector<std::string> TrainingRun::sample_texts() const {
  constexpr Index most_tokens = 200;
  const Split& train = task_.split("train");
  const Index samples = config_.evaluation.samples;
  if (!use_of(config_).continues() || samples == 0) {
    return {};
  }
  const bool one_document = train.text.tokens->documents() == 1;
  const TextFront front(config_.task.as<TextOptions>(), *task_.source_tokenizer, one_document);
  const TextGenerator generator(
      {.members = {{.transformer = model_.transformer, .store = model_.store}},
       .tokenizer = task_.source_tokenizer,
       .context = context_of(config_),
       .memory = config_.evaluation.memory.value_or(0),
       .goes_on = true,
       .never = never_written(one_document)},
      team_.workers, {.samples = samples, .max_tokens = most_tokens, .seed = config_.seed});
  const GeneratedTexts generated = generator.generate(std::array{front.prompt({})});
  return mapped(generated.front(), &GeneratedText::text);
}

// Counts an evaluation. Saves the weights if they are the best, or better than best.safetensors.
KeptWeights TrainingRun::note(const BestWeights& now) {
  const bool lower = kind_of(config_.evaluation.metric).lower_is_better;
  ++position_.evaluations;
  const auto gains_on = [&](double value) {
    return std::isfinite(now.value) && (lower ? now.value < value : now.value > value);
  };
  // The lower loss decides between equal values; for patience this is no improvement.
  const auto beats = [&](const BestWeights& other) {
    return gains_on(other.value) || (now.value == other.value && now.loss < other.loss);
  };
  const bool first = std::isfinite(now.value) && position_.best_evaluation == 0;
  const bool gained = first || gains_on(position_.best.value);
  const bool tied = !gained && beats(position_.best);
  if (gained || tied) {
    position_.best = now;
  }
  if (gained) {
    position_.best_evaluation = position_.evaluations;
  }
  const bool best = first || (best_ ? beats(*best_) : std::isfinite(now.value));
  if (!best) {
    return KeptWeights::none;
  }
  best_ = now;
  sink_.save_best(model_.store, position_.step, now);
  return gained ? KeptWeights::best : tied ? KeptWeights::lower_loss : KeptWeights::since_resume;
}

std::string gain_text(const Config& config, const TrainingPosition& position, KeptWeights kept) {
  const Index without = position.without_gain();
  if (kept == KeptWeights::best || without == 0) {
    return "  (best so far)";
  }
  const MetricKind& metric = kind_of(config.evaluation.metric);
  std::string text;
  if (kept == KeptWeights::lower_loss) {
    text = fmt::format("best so far by the loss alone, with the same {}", metric.words);
  } else if (kept == KeptWeights::since_resume) {
    text = fmt::format("best since a resume; before the resume the best {} was {}", metric.words,
                       metric_text(metric, position.best.value));
  }
  if (config.training.patience > 0) {
    text += fmt::format("{}evaluations without a better {}: {} of {}", text.empty() ? "" : "; ",
                        metric.words, without, config.training.patience);
  }
  return text.empty() ? "" : fmt::format("  ({})", text);
}

bool out_of_patience(const Config& config, const TrainingPosition& position) {
  const Index patience = config.training.patience;
  return patience > 0 && position.without_gain() >= patience;
}

std::string patience_text(const Config& config, const TrainingPosition& position) {
  const MetricKind& metric = kind_of(config.evaluation.metric);
  const std::string why = position.best_evaluation == 0
                              ? fmt::format("in all {} evaluations the {} was not a number",
                                            position.evaluations, metric.words)
                              : fmt::format("the best {} is {}, of evaluation {} of {}",
                                            metric.words, metric_text(metric, position.best.value),
                                            position.best_evaluation, position.evaluations);
  return fmt::format("training.patience: {} ends the training: {}", config.training.patience, why);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
