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

constexpr Index largest_vocabulary = std::numeric_limits<TokenId>::max();

struct BatchWriter {
  std::map<std::string, Numbers>& lists;
  std::string prefix;  // of their names

  // Whether there is an optional list; the batch says whether it is `needed`.
  bool has(const std::string&, bool needed) const { return needed; }
  void visit(const std::string& name, const auto& list, Index, Index) const {
    lists.emplace(prefix + name, Numbers(list.begin(), list.end()));
  }
};

// Reads what a BatchWriter wrote. Throws IoError for a number that is not from `least` to `most`.
struct BatchReader {
  const TensorFile& file;
  std::string prefix;

  bool has(const std::string& name, bool) const { return file.find(prefix + name) != nullptr; }
  void visit(const std::string& name, auto& list, Index least, Index most) const {
    const TensorEntry& entry = file.entry(prefix + name);
    if (entry.dtype != DType::i64 || entry.shape.size() != 1) {
      throw file.unusable("{} is no list of whole numbers", entry.name);
    }
    Numbers numbers(entry.bytes.size() / sizeof(std::int64_t));
    copy_values(entry, std::span(numbers));
    list.clear();
    for (const std::int64_t number : numbers) {
      if (number < least || number > most) {
        throw file.unusable("{} holds {}, which is not from {} to {}", entry.name, number, least,
                            most);
      }
      list.push_back(static_cast<std::ranges::range_value_t<decltype(list)>>(number));
    }
  }
};

// Writes a member of each segment as a list, or sets it to the numbers of a list.
void visit_each(const auto& lists, const std::string& name, Index Segment::* member, Index most,
                Segments& segments) {
  std::vector<Index> values = mapped(segments.list, member);
  lists.visit(name, values, 0, most);
  for (std::size_t i = 0; i < std::min(values.size(), segments.list.size()); ++i) {
    segments.list[i].*member = values[i];
  }
}

// `ids`: the name of the list of tokens; `side`: the beginning of the names of the other lists.
void visit_tokens(const auto& lists, const std::string& ids, const std::string& side, Index longest,
                  Index vocabulary, Tokens& tokens) {
  std::vector<Index> lengths = mapped(tokens.segments.list, &Segment::rows);
  lists.visit(side + "_lengths", lengths, 0, longest);
  if (tokens.segments.list.empty()) {  // of a batch that is being read
    tokens.segments = segments_of(lengths);
  }
  lists.visit(ids, tokens.ids, 0, vocabulary - 1);
  const std::string types = side + "_types";
  if (lists.has(types, !tokens.types.empty())) {
    lists.visit(types, tokens.types, 0, largest_vocabulary - 1);
  }
}

// Writes the batch, or fills it. `lists`: a BatchWriter or a BatchReader.
void visit_batch(const auto& lists, const Replay& replay, Batch& batch) {
  const Index longest = replay.config.model.max_positions;
  const Index input_vocabulary =
      vocabularies_of(replay.config, replay.source_vocabulary, replay.target_vocabulary).input;
  Segments& segments = batch.input.segments;
  visit_tokens(lists, "source", "source", longest, replay.source_vocabulary, batch.context);
  visit_tokens(lists, "target_input", "target", longest, input_vocabulary, batch.input);
  lists.visit("target_output", batch.labels.ids, 0, replay.target_vocabulary - 1);
  lists.visit("examples", batch.examples, 0, most_counted);
  if (lists.has(label_rows, !batch.labels.every_row)) {
    batch.labels.every_row = false;
    lists.visit(label_rows, batch.labels.rows, 0, most_counted);
  }
  const auto has_prefix = [](const Segment& one) { return one.prefix > 0; };
  if (lists.has(prefixes, std::ranges::any_of(segments.list, has_prefix))) {
    visit_each(lists, prefixes, &Segment::prefix, longest, segments);
  }
  if (lists.has(lanes, !batch.input.lanes.empty())) {
    const auto size = memory_size(replay.config);
    lists.visit(lanes, batch.input.lanes, 0, size ? size->lanes - 1 : -1);
    visit_each(lists, lane_positions, &Segment::position, most_counted, segments);
  }
}

Batch batch_in(const BatchReader& in, const Replay& replay) {
  Batch batch;
  visit_batch(in, replay, batch);
  try {
    expect_whole(batch);
  } catch (const ShapeError& error) {
    throw in.file.unusable("the parts of {} do not fit together ({})", in.prefix, error.what());
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
  replay.batches = mapped(numbers_below(count), [&](Index i) {
    return batch_in({.file = file, .prefix = prefix_of(i)}, replay);
  });
  return replay;
}

}  // namespace

void write_replay(const fs::path& file, const Replay& replay, const ParameterStore& store) {
  std::vector<TensorEntry> entries = weight_entries(store);
  std::map<std::string, Numbers> lists;  // owns the memory that `entries` refers to
  for (std::size_t i = 0; i < replay.batches.size(); ++i) {
    Batch batch = replay.batches[i];
    visit_batch(BatchWriter{lists, prefix_of(static_cast<Index>(i))}, replay, batch);
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
