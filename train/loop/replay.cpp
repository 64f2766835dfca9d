#include "train/loop/replay.hpp"

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
constexpr const char* prefixes = "prefixes";      // only if some input has a prefix

// Names of the lists that hold tokens.
struct TokenLists {
  const char* ids;
  const char* lengths;
  const char* types;  // only if the tokens have types
};
constexpr TokenLists context_lists{
    .ids = "source", .lengths = "source_lengths", .types = "source_types"};
constexpr TokenLists input_lists{
    .ids = "target_input", .lengths = "target_lengths", .types = "target_types"};
constexpr const char* lanes = "lanes";  // lanes and lane_positions: only if the batch has lanes
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

// The lists of numbers that represent a batch, by name.
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
    std::ranges::transform(inputs, std::back_inserter(lists[prefixes]), &Segment::prefix);
  }
  return lists;
}

constexpr Index largest_vocabulary = std::numeric_limits<TokenId>::max();

// The file with the lists of a batch, and limits for checks.
struct BatchSource {
  const TensorFile& file;
  std::string prefix;
  Index longest;  // the longest sequence

  bool has(const std::string& name) const { return file.find(prefix + name) != nullptr; }
  Numbers numbers(const std::string& name, Index least, Index most) const {
    const TensorEntry& entry = file.entry(prefix + name);
    if (entry.dtype != DType::i64 || entry.shape.size() != 1) {
      throw file.unusable("{} is no list of whole numbers", entry.name);
    }
    Numbers list(entry.bytes.size() / sizeof(std::int64_t));
    copy_values(entry, std::span(list));
    for (const std::int64_t number : list) {
      if (number < least || number > most) {
        throw file.unusable("{} holds {}, which is not from {} to {}", entry.name, number, least,
                            most);
      }
    }
    return list;
  }
  PoolVector<TokenId> ids(const std::string& name, Index vocabulary) const {
    PoolVector<TokenId> list;
    for (const std::int64_t number : numbers(name, 0, vocabulary - 1)) {
      list.push_back(static_cast<TokenId>(number));
    }
    return list;
  }
  Tokens tokens(const TokenLists& names, Index vocabulary) const {
    const Numbers rows = numbers(names.lengths, 0, longest);
    Tokens read{.ids = ids(names.ids, vocabulary),
                .segments = segments_of({rows.begin(), rows.end()})};
    if (has(names.types)) {
      read.types = ids(names.types, largest_vocabulary);
    }
    return read;
  }
};

void set_each(Tokens& tokens, Index Segment::* member, const Numbers& values) {
  PoolVector<Segment>& list = tokens.segments.list;
  for (std::size_t i = 0; i < std::min(values.size(), list.size()); ++i) {
    list[i].*member = values[i];
  }
}

Batch batch_in(const BatchSource& in, const Replay& replay) {
  const Index input_vocabulary =
      vocabularies_of(replay.config, replay.source_vocabulary, replay.target_vocabulary).input;
  Batch batch{.context = in.tokens(context_lists, replay.source_vocabulary),
              .input = in.tokens(input_lists, input_vocabulary),
              .labels = {.ids = in.ids("target_output", replay.target_vocabulary)},
              .examples = {}};
  const Numbers examples = in.numbers("examples", 0, most_counted);
  batch.examples = {examples.begin(), examples.end()};
  if (in.has(label_rows)) {
    const Numbers rows = in.numbers(label_rows, 0, most_counted);
    batch.labels.every_row = false;
    batch.labels.rows = {rows.begin(), rows.end()};
  }
  if (in.has(prefixes)) {
    set_each(batch.input, &Segment::prefix, in.numbers(prefixes, 0, in.longest));
  }
  if (in.has(lanes)) {
    const auto size = memory_size(replay.config);
    const Numbers of_batch = in.numbers(lanes, 0, size ? size->lanes - 1 : -1);
    batch.input.lanes = {of_batch.begin(), of_batch.end()};
    set_each(batch.input, &Segment::position, in.numbers(lane_positions, 0, most_counted));
  }
  try {
    expect_whole(batch);
  } catch (const ShapeError& error) {
    throw in.file.unusable("the parts of {} do not go together ({})", in.prefix, error.what());
  }
  if (batch.labels.count() == 0) {
    throw in.file.unusable("{} has no labels", in.prefix);
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
  std::map<std::string, Numbers> lists;  // owns the memory that `entries` refers to
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
