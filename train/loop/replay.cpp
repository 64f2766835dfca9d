#include "train/loop/replay.hpp"

#include "core/tape/anomaly.hpp"
#include "train/model_training.hpp"
#include "train/run/checkpoint.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

using Numbers = std::vector<std::int64_t>;

constexpr const char* label_rows = "label_rows";  // only if some rows have no label
constexpr const char* prefixes = "prefixes";      // only if some input has a prefix

constexpr const char* lanes = "lanes";  // lanes and lane_positions: only if the batch has lanes
constexpr const char* lane_positions = "lane_positions";
constexpr const char* memory = "lanes.memory";

Numbers numbers(const auto& list) { return {list.begin(), list.end()}; }

Numbers of_each(const Segments& segments, Index Segment::* member) {
  return numbers(segments.list | std::views::transform(member));
}

// `ids`: the name of the list of tokens; `side`: the beginning of the names of the other lists.
void add_tokens(const Tokens& tokens, const std::string& ids, const std::string& side,
                std::map<std::string, Numbers>& lists) {
  lists[ids] = numbers(tokens.ids);
  lists[side + "_lengths"] = of_each(tokens.segments, &Segment::rows);
  if (!tokens.types.empty()) {
    lists[side + "_types"] = numbers(tokens.types);
  }
}

// The lists of numbers that represent a batch, by name.
std::map<std::string, Numbers> lists_of(const Batch& batch) {
  std::map<std::string, Numbers> lists{{"target_output", numbers(batch.labels.ids)},
                                       {"examples", numbers(batch.examples)}};
  add_tokens(batch.context, "source", "source", lists);
  add_tokens(batch.input, "target_input", "target", lists);
  if (!batch.labels.every_row) {
    lists.emplace(label_rows, numbers(batch.labels.rows));
  }
  if (!batch.input.lanes.empty()) {
    lists.emplace(lanes, numbers(batch.input.lanes));
    lists.emplace(lane_positions, of_each(batch.input.segments, &Segment::position));
  }
  const Numbers prefix = of_each(batch.input.segments, &Segment::prefix);
  if (std::ranges::any_of(prefix, [](std::int64_t rows) { return rows > 0; })) {
    lists.emplace(prefixes, prefix);
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
  // Appends numbers from `least` to `most` to the list.
  void read(const std::string& name, Index least, Index most, auto& list) const {
    const TensorEntry& entry = file.entry(prefix + name);
    if (entry.dtype != DType::i64 || entry.shape.size() != 1) {
      throw file.unusable("{} is no list of whole numbers", entry.name);
    }
    Numbers numbers(entry.bytes.size() / sizeof(std::int64_t));
    copy_values(entry, std::span(numbers));
    for (const std::int64_t number : numbers) {
      if (number < least || number > most) {
        throw file.unusable("{} holds {}, which is not from {} to {}", entry.name, number, least,
                            most);
      }
      list.push_back(static_cast<std::ranges::range_value_t<decltype(list)>>(number));
    }
  }
  Tokens tokens(const std::string& name, const std::string& side, Index vocabulary) const {
    std::vector<Index> rows;
    read(side + "_lengths", 0, longest, rows);
    Tokens all{.ids = {}, .segments = segments_of(rows)};
    read(name, 0, vocabulary - 1, all.ids);
    if (const std::string types = side + "_types"; has(types)) {
      read(types, 0, largest_vocabulary - 1, all.types);
    }
    return all;
  }
};

// Sets a member of each segment to the numbers of a list.
void set_each(Tokens& tokens, Index Segment::* member, const BatchSource& in, const char* name,
              Index most) {
  Numbers values;
  in.read(name, 0, most, values);
  PoolVector<Segment>& list = tokens.segments.list;
  for (std::size_t i = 0; i < std::min(values.size(), list.size()); ++i) {
    list[i].*member = values[i];
  }
}

Batch batch_in(const BatchSource& in, const Replay& replay) {
  const Index input_vocabulary =
      vocabularies_of(replay.config, replay.source_vocabulary, replay.target_vocabulary).input;
  Batch batch;
  batch.context = in.tokens("source", "source", replay.source_vocabulary);
  batch.input = in.tokens("target_input", "target", input_vocabulary);
  in.read("target_output", 0, replay.target_vocabulary - 1, batch.labels.ids);
  in.read("examples", 0, most_counted, batch.examples);
  if (in.has(label_rows)) {
    batch.labels.every_row = false;
    in.read(label_rows, 0, most_counted, batch.labels.rows);
  }
  if (in.has(prefixes)) {
    set_each(batch.input, &Segment::prefix, in, prefixes, in.longest);
  }
  if (in.has(lanes)) {
    const auto size = memory_size(replay.config);
    in.read(lanes, 0, size ? size->lanes - 1 : -1, batch.input.lanes);
    set_each(batch.input, &Segment::position, in, lane_positions, most_counted);
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
  const Index longest = replay.config.model.max_positions;
  replay.batches = mapped(numbers_below(count), [&](Index i) {
    return batch_in({.file = file, .prefix = prefix_of(i), .longest = longest}, replay);
  });
  return replay;
}

}  // namespace

void write_replay(const fs::path& file, const Replay& replay, const ParameterStore& store) {
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

Replayed replay_step(const fs::path& path, Index threads) {
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
