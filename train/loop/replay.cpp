#include "train/loop/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <span>

#include "core/errors.hpp"
#include "core/files/tensor_file.hpp"
#include "core/kernel/workers.hpp"
#include "core/tape/anomaly.hpp"
#include "train/config/config.hpp"
#include "train/model_training.hpp"
#include "train/run/checkpoint.hpp"
#include "train/step/training_position.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

using Numbers = std::vector<std::int64_t>;

constexpr const char* label_rows = "label_rows";  // only if some rows have no label
constexpr const char* prefixes = "prefixes";      // only if some input has one

// The names of the lists of tokens.
struct TokenLists {
  const char* ids;
  const char* lengths;
  const char* types;  // only if the tokens have types
};
constexpr TokenLists context_lists{
    .ids = "source", .lengths = "source_lengths", .types = "source_types"};
constexpr TokenLists input_lists{
    .ids = "target_input", .lengths = "target_lengths", .types = "target_types"};
constexpr const char* lanes = "lanes";  // only if the input goes on with lanes, with positions
constexpr const char* lane_positions = "lane_positions";
constexpr const char* memory = "lanes.memory";

Numbers numbers(const auto& list) { return {list.begin(), list.end()}; }

void add_tokens(const Tokens& tokens, const TokenLists& names,
                std::map<std::string, Numbers>& lists) {
  lists[names.ids] = numbers(tokens.ids);
  std::ranges::transform(tokens.segments.list, std::back_inserter(lists[names.lengths]),
                         &Segment::rows);
  if (!tokens.types.empty()) {
    lists[names.types] = numbers(tokens.types);
  }
}

// The lists that make a batch, by name.
std::map<std::string, Numbers> lists_of(const Batch& batch) {
  std::map<std::string, Numbers> lists{{"target_output", numbers(batch.labels.ids)},
                                       {"examples", numbers(batch.examples)}};
  add_tokens(batch.context, context_lists, lists);
  add_tokens(batch.input, input_lists, lists);
  if (!batch.labels.every_row) {
    lists.emplace(label_rows, numbers(batch.labels.rows));
  }
  const auto& inputs = batch.input.segments.list;
  if (!batch.input.lanes.empty()) {
    lists.emplace(lanes, numbers(batch.input.lanes));
    std::ranges::transform(inputs, std::back_inserter(lists[lane_positions]), &Segment::position);
  }
  if (std::ranges::any_of(inputs, [](const Segment& segment) { return segment.prefix > 0; })) {
    Numbers& list = lists[prefixes];
    std::ranges::transform(inputs, std::back_inserter(list), &Segment::prefix);
  }
  return lists;
}

Numbers numbers_in(const TensorFile& file, const std::string& name, Index least, Index most) {
  const TensorEntry& entry = file.entry(name);
  if (entry.dtype != DType::i64 || entry.shape.size() != 1) {
    throw IoError(
        fmt::format("cannot use {}: {} is no list of whole numbers", file.path().string(), name));
  }
  Numbers numbers(entry.bytes.size() / sizeof(std::int64_t));
  copy_values(entry, std::span(numbers));
  for (const std::int64_t number : numbers) {
    if (number < least || number > most) {
      throw IoError(fmt::format("cannot use {}: {} holds {}, which is not from {} to {}",
                                file.path().string(), name, number, least, most));
    }
  }
  return numbers;
}

constexpr Index largest_vocabulary = std::numeric_limits<TokenId>::max();

// The file from which the numbers of a batch are read, and their limits.
struct BatchSource {
  const TensorFile& file;
  std::string prefix;
  Index longest;  // sequence

  PoolVector<TokenId> ids(const std::string& name, Index vocabulary) const {
    PoolVector<TokenId> list;
    for (const std::int64_t number : numbers_in(file, prefix + name, 0, vocabulary - 1)) {
      list.push_back(static_cast<TokenId>(number));
    }
    return list;
  }
  Tokens tokens(const TokenLists& names, Index vocabulary) const {
    const Numbers rows = numbers_in(file, prefix + names.lengths, 0, longest);
    Tokens read{.ids = ids(names.ids, vocabulary),
                .segments = segments_of({rows.begin(), rows.end()})};
    if (file.find(prefix + names.types) != nullptr) {
      read.types = ids(names.types, largest_vocabulary);
    }
    return read;
  }
};

Batch batch_in(const BatchSource& in, const Replay& replay) {
  const Index input_vocabulary =
      vocabularies_of(replay.config, replay.source_vocabulary, replay.target_vocabulary).input;
  Batch batch{.context = in.tokens(context_lists, replay.source_vocabulary),
              .input = in.tokens(input_lists, input_vocabulary),
              .labels = {.ids = in.ids("target_output", replay.target_vocabulary)},
              .examples = {}};
  const Numbers examples = numbers_in(in.file, in.prefix + "examples", 0, most_counted);
  batch.examples = {examples.begin(), examples.end()};
  if (in.file.find(in.prefix + label_rows) != nullptr) {
    const Numbers rows = numbers_in(in.file, in.prefix + label_rows, 0, most_counted);
    batch.labels.every_row = false;
    batch.labels.rows = {rows.begin(), rows.end()};
  }
  if (in.file.find(in.prefix + prefixes) != nullptr) {
    const Numbers list = numbers_in(in.file, in.prefix + prefixes, 0, in.longest);
    for (std::size_t i = 0; i < std::min(list.size(), batch.input.segments.list.size()); ++i) {
      batch.input.segments.list[i].prefix = list[i];
    }
  }
  if (in.file.find(in.prefix + lanes) != nullptr) {
    const auto size = memory_size(replay.config);
    const Numbers of_batch = numbers_in(in.file, in.prefix + lanes, 0, size ? size->lanes - 1 : -1);
    const Numbers begins = numbers_in(in.file, in.prefix + lane_positions, 0, most_counted);
    batch.input.lanes = {of_batch.begin(), of_batch.end()};
    for (std::size_t i = 0; i < std::min(begins.size(), batch.input.segments.list.size()); ++i) {
      batch.input.segments.list[i].position = begins[i];
    }
  }
  try {
    expect_whole(batch);
  } catch (const ShapeError& error) {
    throw IoError(fmt::format("cannot use {}: the parts of {} do not go together ({})",
                              in.file.path().string(), in.prefix, error.what()));
  }
  if (batch.labels.count() == 0) {
    throw IoError(
        fmt::format("cannot use {}: {} has no labels", in.file.path().string(), in.prefix));
  }
  return batch;
}

std::string prefix_of(Index batch) { return fmt::format("batch.{}.", batch); }

Replay read_replay(const TensorFile& file) {
  Replay replay{
      .config = parse_config(file.metadata("replay.config"), file.path().string()).config,
      .source_vocabulary =
          metadata_number(file, "source_vocabulary", mark_count, largest_vocabulary),
      .target_vocabulary = metadata_number(file, "target_vocabulary", 1, largest_vocabulary),
      .step = metadata_number(file, "step", 1, most_counted)};
  const Index count = metadata_number(file, "batches", 1, std::ssize(file.entries()));
  for (Index i = 0; i < count; ++i) {
    replay.batches.push_back(batch_in(
        {.file = file, .prefix = prefix_of(i), .longest = replay.config.model.max_positions},
        replay));
  }
  return replay;
}

}  // namespace

void write_replay(const std::filesystem::path& file, const Replay& replay,
                  const ParameterStore& store) {
  std::vector<TensorEntry> entries = weight_entries(store);
  std::map<std::string, Numbers> lists;  // the memory that the entries point into
  for (std::size_t i = 0; i < replay.batches.size(); ++i) {
    for (auto& [name, numbers] : lists_of(replay.batches[i])) {
      lists.emplace(prefix_of(static_cast<Index>(i)) + name, std::move(numbers));
    }
  }
  if (replay.memory.has_memory()) {
    entries.push_back(tensor_entry(memory, replay.memory));
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
  Model model(config, replay.source_vocabulary, replay.target_vocabulary, file);
  Workers workers(threads);
  Trainer trainer = trainer_of(model, config, workers);
  trainer.optimizer().set_steps(replay.step - 1);
  if (trainer.memory() != nullptr) {
    load_memory(file, *trainer.memory());
  }
  const AnomalyGuard guard;
  try {
    const StepStats stats = trainer.step(replay.batches, training_loss(model, config));
    return {
        .clean = true,
        .message = fmt::format("step {} runs without an anomaly: loss {:.4g}, gradient norm {:.4g}",
                               replay.step, stats.loss, stats.gradient_norm)};
  } catch (const NumericError& error) {
    return {.clean = false, .message = fmt::format("step {}: {}", replay.step, error.what())};
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
