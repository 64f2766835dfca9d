#include "train/plan/activations.hpp"

#include "core/memory/pool.hpp"
#include "nn/lane_memory.hpp"
#include "nn/transformer/transformer.hpp"
#include "train/model_training.hpp"
#include "train/step/shards.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

Index rows_of_examples(const Source& source, const std::vector<Index>& examples) {
  Index rows = 0;
  for (const Index number : examples) {
    const SequenceLengths lengths = source.lengths(number);
    rows += lengths.context + lengths.input + lengths.remembered;
  }
  return rows;
}

// The path of the module that was entered, since a table shared by several does not show who uses
// it.
std::string_view path_of(const TapeEvent& event) {
  const Module* module = event.entered != nullptr ? event.entered : event.module;
  return module == nullptr ? std::string_view() : std::string_view(module->path());
}

Batch largest_part(const Batch& batch, const Config& config) {
  const auto rows = [](const Batch& part) { return part.context.rows() + part.input.rows(); };
  Batch largest;
  for (const Batch& shard : cut_into_shards(batch, config.training.shards.value_or(1))) {
    for (const Batch& part : cut_into_parts(shard, part_rows(config.model.d_model))) {
      if (rows(part) > rows(largest)) {
        largest = part;
      }
    }
  }
  return largest;
}

}  // namespace

std::size_t largest_batch(const TrainingEpoch& epoch) {
  const auto largest =
      std::ranges::max_element(epoch.batches, {}, [&](const std::vector<Index>& examples) {
        return rows_of_examples(*epoch.source, examples);
      });
  return static_cast<std::size_t>(largest - epoch.batches.begin());
}

// The increase of the pool's memory in use after an op, compared with the op before, belongs to the
// op's part.
std::vector<std::size_t> activations_of(const Model& model, const Config& config,
                                        const Batch& batch, const std::vector<ModelPart>& parts) {
  const Batch largest = largest_part(batch, config);
  std::vector<std::ptrdiff_t> bytes(parts.size(), 0);
  ParameterGradients gradients(model.store);
  Tape tape;
  Pass pass(tape, model.store, gradients, config.seed, 1);
  std::optional<LaneMemory> memory;
  if (const auto size = memory_size(config)) {
    pass.memory = &memory.emplace(*size);
  }
  auto before = static_cast<std::ptrdiff_t>(pool_use().bytes_used);
  tape.watch([&](const TapeEvent& event) {
    const auto now = static_cast<std::ptrdiff_t>(pool_use().bytes_used);
    bytes[part_of(parts, path_of(event))] += now - before;
    before = now;
  });
  batch_loss(model.transformer, pass, largest,
             {.label_smoothing = config.training.label_smoothing});
  std::ranges::replace_if(bytes, [](std::ptrdiff_t part) { return part < 0; }, 0);
  return {bytes.begin(), bytes.end()};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
