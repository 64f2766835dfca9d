#include "train/interchange/import.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/files/files.hpp"
#include "core/text.hpp"
#include "datasets/tokenizers/read_pretrained.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "train/config/config.hpp"
#include "train/interchange/placement.hpp"
#include "train/interchange/pretrained_files.hpp"
#include "train/interchange/token_texts.hpp"
#include "train/run/checkpoint.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/directory.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// The bias of an entry that is never predicted: e^-10000 is 0 in every precision, so the other
// entries share the probability as they do in a model without this one.
constexpr Scalar never = -10'000;

// Copies numbers of theirs into parameters of ours, and remembers what does not fit.
class WeightCopy {
 public:
  WeightCopy(const PretrainedFiles& files, const EntryRows& rows, Index their_entries)
      : files_(files), rows_(rows), their_entries_(their_entries) {}

  void copy(const TensorRow& row, const Shape& shape, std::span<Scalar> to) {
    const TensorEntry* entry = files_.find(row.theirs);
    if (entry == nullptr) {
      problems_.push_back(fmt::format("{} is missing", row.theirs));
      return;
    }
    const Placement placement(row, shape, rows_, their_entries_);
    const std::vector<Index> expected = placement.their_shape();
    if (entry->shape != expected || entry->dtype == DType::i64) {
      problems_.push_back(fmt::format("{} has the shape ({}) instead of ({})", row.theirs,
                                      join(entry->shape, ", "), join(expected, ", ")));
      return;
    }
    const std::vector<Scalar>& numbers = numbers_of(row.theirs, *entry);
    const Index columns = placement.columns();
    for (Index i = 0; i < shape[0]; ++i) {
      for (Index j = 0; j < columns; ++j) {
        const std::optional<Index> at = placement.at(i, j);
        to[static_cast<std::size_t>(i * columns + j)] =
            at ? numbers[static_cast<std::size_t>(*at)] : 0;
      }
    }
  }

  const std::vector<std::string>& problems() const { return problems_; }

 private:
  // Of one tensor at a time: neighbouring rows of the table may use the same one.
  const std::vector<Scalar>& numbers_of(const std::string& name, const TensorEntry& entry) {
    if (name != name_) {
      std::size_t count = 1;
      for (const Index size : entry.shape) {
        count *= static_cast<std::size_t>(size);
      }
      numbers_.resize(count);
      copy_values(entry, std::span(numbers_));
      name_ = name;
      if (!std::ranges::all_of(numbers_, [](Scalar number) { return std::isfinite(number); })) {
        problems_.push_back(fmt::format("{} has a number that is not finite", name));
      }
    }
    return numbers_;
  }

  const PretrainedFiles& files_;
  const EntryRows& rows_;
  Index their_entries_;
  std::string name_;
  std::vector<Scalar> numbers_;
  std::vector<std::string> problems_;
};

// What neither a row of the table nor the architecture knows, and copies of the table of tokens
// that are none.
std::vector<std::string> surplus(const PretrainedFiles& files, const Architecture& architecture,
                                 const std::vector<TensorRow>& rows,
                                 const std::vector<std::string>& tied,
                                 std::vector<std::string>& left_out) {
  std::vector<std::string> problems;
  const TensorEntry* table = files.find(rows.front().theirs);
  for (const std::string& name : files.names()) {
    if (std::ranges::find(tied, name) != tied.end()) {
      const TensorEntry* copy = files.find(name);
      if (table != nullptr && !std::ranges::equal(copy->bytes, table->bytes)) {
        problems.push_back(
            fmt::format("{} differs from {}, to which it is tied", name, rows.front().theirs));
      }
    } else if (architecture.left_out(name)) {
      left_out.push_back(name);
    } else if (std::ranges::find(rows, name, &TensorRow::theirs) == rows.end()) {
      problems.push_back(fmt::format("{} is left over", name));
    }
  }
  return problems;
}

// How many rows of their embedding no entry of ours has, such as those that fill a table up.
Index expect_entries(const EntryRows& rows, Index their_entries, const PretrainedFiles& files) {
  std::set<Index> used;
  for (const std::optional<Index>& row : rows.theirs) {
    if (row && *row >= their_entries) {
      throw IoError(fmt::format("{}: the tokenizer has the id {}, and vocab_size is {}",
                                files.config_file().string(), *row, their_entries));
    }
    if (row) {
      used.insert(*row);
    }
  }
  return their_entries - std::ssize(used);
}

// The config of a run that goes on: with the tokenizer of the imported run. Where that knows no
// line end, each line is a document.
Config config_of(const PretrainedFiles& files, const std::vector<std::string>& options,
                 Index positions, const ImportRequest& request, const Tokenizer& tokenizer) {
  const bool lines = std::ranges::count(tokenizer.encode(line_end), unknown_id) == 0;
  std::vector<std::string> overrides{
      "task.name=text",
      fmt::format("task.train_text={}", request.text),
      fmt::format("task.tokenizer_of={}", request.run.string()),
      fmt::format("task.context={}", std::max<Index>(1, positions - 2)),
      fmt::format("task.documents={}", lines ? "file" : "line"),
      "model.bias_output=true"};
  overrides.insert(overrides.end(), options.begin(), options.end());
  return parse_config("{}", files.config_file().string(), overrides).config;
}

// Before memory is taken for what a config.json claims. Our vocabulary has a few rows more, and
// biases.
void expect_size(const PretrainedFiles& files, Index claimed, const std::string& what) {
  constexpr Index few = 1'000'000;
  if (claimed > 2 * files.numbers() + few) {
    throw IoError(fmt::format("{} is about {} {}, and the tensors have {} numbers",
                              files.config_file().string(), claimed, what, files.numbers()));
  }
}

// Of a model that is not made.
Index parameters_of(const Config& config, Index entries) {
  ParameterStore store;
  const Transformer planned(store.root(), config.model, vocabularies_of(config, entries, entries));
  return store.count();
}

PretrainedTokenizer tokenizer_of(const ImportRequest& request, const PretrainedFiles& files,
                                 const TheirConfig& theirs) {
  if (request.token_texts) {
    return read_token_texts(files, theirs, theirs.count("vocab_size"));
  }
  try {
    return read_pretrained_tokenizer(request.from);
  } catch (const IoError& error) {
    throw IoError(fmt::format(
        "{}; with --token-texts no tokenizer is read, and texts are given as their tokens",
        error.what()));
  }
}

void fill(const PretrainedFiles& files, const Architecture& architecture, const TheirConfig& theirs,
          Imported& imported) {
  const std::vector<TensorRow> rows = architecture.rows(theirs);
  ParameterStore& store = imported.model->store;
  WeightCopy weights(files, imported.rows, theirs.count("vocab_size"));
  std::vector<std::string> problems;
  for (const TensorRow& row : rows) {
    const auto ours = std::ranges::find(store.parameters(), row.ours, &NamedParameter::name);
    if (ours == store.parameters().end()) {
      throw std::logic_error(fmt::format("no parameter {}", row.ours));
    }
    weights.copy(row, ours->shape, store.value(*ours).values());
  }
  problems = weights.problems();
  const auto more =
      surplus(files, architecture, rows, architecture.tied(theirs), imported.left_out);
  problems.insert(problems.end(), more.begin(), more.end());
  if (!problems.empty()) {
    throw IoError(
        fmt::format("cannot import {}:\n  {}", files.directory().string(), join(problems, "\n  ")));
  }
  const auto bias = std::ranges::find(store.parameters(), "output.bias", &NamedParameter::name);
  Tensor biases = store.value(*bias);
  for (std::size_t i = 0; i < imported.rows.predicted.size(); ++i) {
    biases.data()[i] = imported.rows.predicted[i] ? biases.data()[i] : never;
  }
}

}  // namespace

Imported import_model(const ImportRequest& request) {
  PretrainedFiles files(request.from);
  const std::filesystem::path config_file = files.config_file();
  const TheirConfig theirs(files.config(), config_file);
  const Architecture& architecture = architecture_of(theirs);
  files.leave_out_prefixes(architecture.optional_prefixes);
  const std::vector<std::string> options = architecture.options(theirs);
  const bool masked = std::ranges::find(options, "model.family=encoder") != options.end();
  const Index their_entries = theirs.count("vocab_size");
  expect_size(files, their_entries, "entries");
  const PretrainedTokenizer tokenizer = tokenizer_of(request, files, theirs);
  Imported imported{.model_type = std::string(architecture.model_type),
                    .config = {},
                    .tokenizers = {tokenizer.tokenizer, tokenizer.tokenizer},
                    .model = {},
                    .rows = entry_rows(tokenizer, masked)};
  imported.rows_left_out = expect_entries(imported.rows, their_entries, files);
  const Index positions =
      theirs.count(theirs.has("n_positions") ? "n_positions" : "max_position_embeddings", 2048);
  imported.config = config_of(files, options, positions, request, *tokenizer.tokenizer);
  const Index size = tokenizer.tokenizer->size();
  expect_size(files, parameters_of(imported.config, size), "parameters");
  imported.model = std::make_unique<Model>(imported.config, size, size, FirstWeights::zeros);
  fill(files, architecture, theirs, imported);
  return imported;
}

void write_imported(const Imported& imported, const std::filesystem::path& run, bool overwrite) {
  const RunDirectory directory = RunDirectory::create(run, overwrite);
  const RunFiles& files = directory.files();
  save_tokenizers(imported.tokenizers, run);
  write_file_atomically(files.config(), dump_config(imported.config));
  Metadata metadata = identity_of(imported.config, imported.tokenizers, "imported").facts;
  metadata.emplace("step", "0");
  write_tensor_file(best_checkpoint(files.checkpoints()), weight_entries(imported.model->store),
                    metadata);
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
