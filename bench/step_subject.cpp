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

Batch random_batch(const StepSize& size) {
  const Draws draws(1, "bench.step", 0);
  Batch batch;
  const std::vector<Index> lengths(static_cast<std::size_t>(size.sequences), size.length);
  batch.context.segments = segments_of(lengths);
  batch.input.segments = segments_of(lengths);
  for (Index i = 0; i < size.tokens(); ++i) {
    const auto at = static_cast<std::uint64_t>(3 * i);
    batch.context.ids.push_back(static_cast<TokenId>(draw_below(draws, at, size.vocabulary)));
    batch.input.ids.push_back(static_cast<TokenId>(draw_below(draws, at + 1, size.vocabulary)));
    batch.labels.ids.push_back(static_cast<TokenId>(draw_below(draws, at + 2, size.vocabulary)));
  }
  for (Index i = 0; i < size.sequences; ++i) {
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
          .steps = {{random_batch(size)}}};
}

StepSubject subject_of(const std::filesystem::path& path, const Overrides& overrides) {
  const Config config = load_config(path, overrides).config;
  const Task task = make_task(config.task, config.seed);
  const std::shared_ptr<const Split> train = task.training_split(0);
  const Layout layout = layout_of(config.model);
  std::vector<std::vector<Batch>> steps;
  const auto lists = epoch_batches(*train, config.training.batching(), config.seed, 0, layout);
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

}  // namespace tapehead
