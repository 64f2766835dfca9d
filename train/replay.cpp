#include "train/replay.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <map>
#include <span>

#include "core/anomaly.hpp"
#include "core/tensor_file.hpp"
#include "core/workers.hpp"
#include "train/checkpoint.hpp"
#include "train/config/config.hpp"
#include "train/experiment.hpp"
#include "train/gate_training.hpp"
#include "train/loss.hpp"
#include "train/trainer.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

using Numbers = std::vector<std::int64_t>;

// The lists that make a batch, by name.
std::map<std::string, Numbers> lists_of(const Batch& batch) {
  const auto numbers = [](const auto& list) { return Numbers(list.begin(), list.end()); };
  const auto lengths = [](const Segments& segments) {
    Numbers list;
    for (const Segment& segment : segments.list) {
      list.push_back(segment.rows);
    }
    return list;
  };
  return {{"source", numbers(batch.source)},
          {"target_input", numbers(batch.target_input)},
          {"target_output", numbers(batch.target_output)},
          {"source_lengths", lengths(batch.source_segments)},
          {"target_lengths", lengths(batch.target_segments)},
          {"examples", numbers(batch.examples)}};
}

Numbers numbers_in(const TensorFile& file, const std::string& name) {
  const TensorEntry& entry = file.entry(name);
  Numbers numbers(entry.bytes.size() / sizeof(std::int64_t));
  copy_values(entry, std::span(numbers));
  return numbers;
}

Batch batch_in(const TensorFile& file, const std::string& prefix) {
  const auto tokens = [&](const char* name) {
    const Numbers numbers = numbers_in(file, prefix + name);
    PoolVector<TokenId> list;
    for (const std::int64_t number : numbers) {
      list.push_back(static_cast<TokenId>(number));
    }
    return list;
  };
  const auto segments = [&](const char* name) {
    const Numbers lengths = numbers_in(file, prefix + name);
    return segments_of({lengths.begin(), lengths.end()});
  };
  const Numbers examples = numbers_in(file, prefix + "examples");
  return {.source = tokens("source"),
          .target_input = tokens("target_input"),
          .target_output = tokens("target_output"),
          .source_segments = segments("source_lengths"),
          .target_segments = segments("target_lengths"),
          .examples = {examples.begin(), examples.end()}};
}

Index number_in(const TensorFile& file, const std::string& key) {
  const std::string& text = file.metadata(key);
  Index number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string prefix_of(Index batch) { return fmt::format("batch.{}.", batch); }

Replay read_replay(const TensorFile& file) {
  Replay replay{.config = parse_config(file.metadata("replay.config"), file.path().string()).config,
                .source_vocabulary = number_in(file, "source_vocabulary"),
                .target_vocabulary = number_in(file, "target_vocabulary"),
                .step = number_in(file, "step"),
                .batches = {}};
  for (Index i = 0; i < number_in(file, "batches"); ++i) {
    replay.batches.push_back(batch_in(file, prefix_of(i)));
  }
  return replay;
}

}  // namespace

void write_replay(const std::filesystem::path& file, const Replay& replay,
                  const ParameterStore& store) {
  std::vector<TensorEntry> entries = weight_entries(store);
  std::map<std::string, Numbers> lists;  // what the entries point into
  for (std::size_t i = 0; i < replay.batches.size(); ++i) {
    for (auto& [name, numbers] : lists_of(replay.batches[i])) {
      lists.emplace(prefix_of(static_cast<Index>(i)) + name, std::move(numbers));
    }
  }
  for (const auto& [name, numbers] : lists) {
    entries.push_back({.name = name,
                       .dtype = DType::i64,
                       .shape = {static_cast<Index>(numbers.size())},
                       .bytes = std::as_bytes(std::span(numbers))});
  }
  write_tensor_file(file, entries,
                    {{"replay.config", dump_config(replay.config)},
                     {"source_vocabulary", std::to_string(replay.source_vocabulary)},
                     {"target_vocabulary", std::to_string(replay.target_vocabulary)},
                     {"step", std::to_string(replay.step)},
                     {"batches", std::to_string(replay.batches.size())}});
}

Replayed replay_step(const std::filesystem::path& path, Index threads) {
  const TensorFile file(path);
  const Replay replay = read_replay(file);
  const Config& config = replay.config;
  Model model(config, replay.source_vocabulary, replay.target_vocabulary);
  load_weights(file, model.store);
  Workers workers(threads);
  Trainer trainer(model.store, workers,
                  {.training = config.training,
                   .seed = config.seed,
                   .d_model = config.model.d_model,
                   .penalty = gate_penalty(model.transformer, config.training.gate_penalty)});
  trainer.optimizer().set_steps(replay.step - 1);
  const AnomalyGuard guard;
  try {
    const StepStats stats = trainer.step(replay.batches, [&](Pass& pass, const Batch& batch) {
      return translation_loss(model.transformer, pass, batch, config.training.label_smoothing);
    });
    return {
        .clean = true,
        .message = fmt::format("step {} runs without an anomaly: loss {:.4g}, gradient norm {:.4g}",
                               replay.step, stats.loss, stats.gradient_norm)};
  } catch (const NumericError& error) {
    return {.clean = false, .message = fmt::format("step {}: {}", replay.step, error.what())};
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
