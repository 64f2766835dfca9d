#include "train/plan/run_plan.hpp"

#include <spdlog/spdlog.h>

#include "core/text.hpp"
#include "datasets/window_source.hpp"
#include "nn/attention/model_rules.hpp"
#include "train/output/text_table.hpp"
#include "train/step/training_position.hpp"

namespace tapehead {

namespace {

// Throws DataError if a sequence with its one mark has more rows than the model has positions.
void expect_positions(const Split& split, Index max_positions) {
  for (Index i = 0; i < split.size(); ++i) {
    const SequenceLengths rows = split.source->lengths(i);
    const bool context = rows.context > max_positions;
    if (!context && rows.input <= max_positions) {
      continue;
    }
    const std::string& file = context ? split.source_file : split.target_file;
    const Index needed = context ? rows.context : rows.input;
    throw DataError(
        "{}: {} tokens are more than the model has positions for; set model.max_positions to {} or "
        "more (now {})",
        file.empty() ? fmt::format("example {} of the {} split", i + 1, split.name)
                     : fmt::format("{}:{}", file, split.lines[static_cast<std::size_t>(i)]),
        needed - 1, needed, max_positions);
  }
}

}  // namespace

RunPlan plan_run(const Config& config, const Task& task) {
  const TrainingOptions& training = config.training;
  const auto batches =
      std::ssize(training_epoch(task, training.batching(), config.seed, 0).batches);
  const Index steps_per_epoch = (batches + training.accumulate - 1) / training.accumulate;
  const Index by_epochs = training.epochs.value_or(0) * steps_per_epoch;
  const Index by_steps = training.steps.value_or(0);
  const RunPlan plan{.steps_per_epoch = steps_per_epoch,
                     .total_steps = by_epochs > 0 && by_steps > 0 ? std::min(by_epochs, by_steps)
                                                                  : std::max(by_epochs, by_steps)};
  if (plan.total_steps > 0 && training.warmup >= plan.total_steps) {
    throw ConfigError(
        "training.warmup: the warmup must end before the run does (warmup {}; the run "
        "has {} steps, {} an epoch)",
        training.warmup, plan.total_steps, plan.steps_per_epoch);
  }
  for (const Split& split : task.splits) {
    if (config.evaluation.memory.value_or(0) > 0) {
      expect_one_stream(split.text, "evaluation.memory", split.name);
    }
    expect_positions(split, config.model.max_positions);
  }
  return plan;
}

// Every schedule rises up to the end of the warmup, or has its highest rate at step 1, and does not
// rise afterwards. So if any step has the rate 0, the last step has it.
std::string zero_rate_text(const Config& config, const RunPlan& plan) {
  const TrainingOptions& training = config.training;
  const Index total = plan.total_steps;
  const auto rate_at = [&](Index step) {
    return learning_rate_at(training, config.model.d_model, step, total);
  };
  if (total == 0 || rate_at(total) > 0) {
    return "";
  }
  const Index top = std::max<Index>(1, training.warmup);
  if (rate_at(top) == 0) {
    return fmt::format("0 in all of {}: no weight changes", counted(total, "step"));
  }
  const double reached = rate_at(top) / training.learning_rate;
  constexpr Index many_steps = 100;  // of which one without effect does not matter
  if (reached > 0.995 && total >= many_steps) {
    return "";
  }
  return fmt::format(
      "0 in step {}, the last, which changes no weights (training.learning_rate_end: 0){}", total,
      reached > 0.995
          ? ""
          : fmt::format(
                "; at most {} of training.learning_rate, in step 1, since there is no warmup",
                format_share(reached)));
}

void say_copied_heads(const ModelOptions& model) {
  std::vector<std::string> attentions;
  for (const AttentionSpec& spec : attention_specs(model)) {
    const std::string text = fmt::format(
        "{} ({} heads of width {}, {})", name_of(spec.kind), spec.heads, spec.d_v,
        spec.tied() ? "head_weights: tied" : fmt::format("sharing: {}", name_of(spec.sharing)));
    if (heads_are_copies(spec) && std::ranges::find(attentions, text) == attentions.end()) {
      attentions.push_back(text);
    }
  }
  if (!attentions.empty()) {
    spdlog::warn(
        "all heads are copies of one head in {}: their weights, positions, pattern, score and "
        "scale are equal, so all heads together do what one head does; with input: narrow each "
        "head has its own columns of the input",
        join(attentions, ", "));
  }
}

}  // namespace tapehead
