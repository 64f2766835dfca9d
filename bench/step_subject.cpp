#include "bench/step_subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/random/draws.hpp"
#include "datasets/loader.hpp"
#include "datasets/make_task.hpp"
#include "datasets/task.hpp"
#include "train/config/config.hpp"
#include "train/options/layout.hpp"

namespace tapehead {

namespace {

constexpr std::size_t most_steps = 64;

// `sequences` of `length` target rows each, and of as many source rows where the model has them.
Batch random_batch(Index sequences, Index length, Index vocabulary, bool has_source) {
  const Draws draws(1, "bench.step", 0);
  const auto token = [&](std::uint64_t at) {
    return static_cast<TokenId>(draw_below(draws, at, vocabulary));
  };
  Batch batch;
  const std::vector<Index> lengths(static_cast<std::size_t>(sequences), length);
  batch.input.segments = segments_of(lengths);
  batch.context.segments =
      has_source ? segments_of(lengths) : segments_of(std::vector<Index>(lengths.size(), 0));
  for (Index i = 0; i < sequences * length; ++i) {
    const auto at = static_cast<std::uint64_t>(3 * i);
    if (has_source) {
      batch.context.ids.push_back(token(at));
    }
    batch.input.ids.push_back(token(at + 1));
    batch.labels.ids.push_back(token(at + 2));
  }
  for (Index i = 0; i < sequences; ++i) {
    batch.examples.push_back(i);
  }
  return batch;
}

}  // namespace

StepSubject subject_of(const StepSize& size, const Overrides& overrides) {
  const std::string text = fmt::format(
      "model: {{d_model: {}, heads: {}, d_ff: {}, layers: {}}}\n"
      "training: {{label_smoothing: 0.1, batch_tokens: {}}}\n",
      size.d_model, size.heads, size.d_ff, size.layers, size.tokens());
  Config config = parse_config(text, fmt::format("size {}", size.name), overrides).config;
  return {.name = std::string(size.name),
          .config = std::move(config),
          .source_vocabulary = size.vocabulary,
          .target_vocabulary = size.vocabulary,
          .steps = {{random_batch(size.sequences, size.length, size.vocabulary, true)}}};
}

StepSubject language_model_subject(const Overrides& overrides) {
  constexpr Index sequences = 12;
  constexpr Index length = 64;
  constexpr Index vocabulary = 65;
  const std::string text =
      "model: {preset: gpt2, family: decoder, d_model: 128, heads: 4, layers: 4, dropout: 0, "
      "max_positions: 64, activation: gelu_exact, bias_attention: false, "
      "bias_feed_forward: false, bias_norm: false}\n"
      "training: {optimizer: adamw, weight_decay: 0.1, clip_norm: 1, batch_tokens: 768}\n";
  return {.name = "lm",
          .config = parse_config(text, "lm", overrides).config,
          .source_vocabulary = vocabulary,
          .target_vocabulary = vocabulary,
          .steps = {{random_batch(sequences, length, vocabulary, false)}}};
}

StepSubject subject_of(const std::filesystem::path& path, const Overrides& overrides) {
  const Config config = load_config(path, overrides).config;
  const Task task = make_task(config.task, config.seed);
  const Layout layout = layout_of(config.model);
  std::vector<std::vector<Batch>> steps;
  const auto [train, lists] =
      training_epoch(task, config.training.batching(), config.seed, 0, layout);
  const auto together = static_cast<std::size_t>(config.training.accumulate);
  for (std::size_t i = 0; i < lists.size() && steps.size() < most_steps; i += together) {
    std::vector<Batch> batches;
    for (std::size_t k = i; k < std::min(i + together, lists.size()); ++k) {
      batches.push_back(make_batch(*train, lists[k], layout));
    }
    steps.push_back(std::move(batches));
  }
  return {.name = path.string(),
          .config = config,
          .source_vocabulary = task.source_tokenizer->size(),
          .target_vocabulary = task.target_tokenizer->size(),
          .steps = std::move(steps)};
}

const StepSize* size_named(const std::string& name) {
  const auto* const size = std::ranges::find(step_sizes, name, &StepSize::name);
  return size == step_sizes.end() ? nullptr : size;
}

StepSubject subject_named(const std::string& name, const Overrides& overrides) {
  if (const StepSize* const size = size_named(name)) {
    return subject_of(*size, overrides);
  }
  if (name == "lm") {
    return language_model_subject(overrides);
  }
  if (!std::filesystem::exists(name)) {
    throw ConfigError(fmt::format("no size and no config {}: the sizes are A, B, C, D, lm", name));
  }
  return subject_of(std::filesystem::path(name), overrides);
}

}  // namespace tapehead
