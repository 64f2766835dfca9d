// Architectures of other programs: which options of ours make the same model, which settings of
// theirs, and which tensor of theirs is which parameter of ours, down to the rows of vocabularies
// and the places of numbers. Each is used in both directions.
#pragma once

#include "core/shape.hpp"
#include "interchange/pretrained_files.hpp"
#include "interchange/tokenizers/pretrained_tokenizers.hpp"
#include "train/options/application.hpp"

namespace tapehead {

// The vocabulary that a tensor has a row, or number, for each entry of.
enum class Entries { none, source, target };

// A parameter of ours, and where its numbers are.
struct TensorRow {
  // transposed: theirs is (in, out). one_row: theirs is (1, n), ours (n).
  enum class Form { same, transposed, one_row };

  std::string ours;
  std::string theirs;  // with its prefix
  Form form = Form::same;
  Index part = 0;  // of `parts` equal parts, which lie one below the other once it is (out, in)
  Index parts = 1;
  Entries entries = Entries::none;
  // Axes that theirs has in the order of halves: first numbers of even places, then of odd ones.
  bool rows_by_halves = false;
  bool columns_by_halves = false;
  bool only_written = false;  // a copy of another tensor, which is not read
};

// A copy, which is not read but has to be one. Its name is without a prefix.
struct TiedTensor {
  std::string name;
  std::string original;
};

struct Architecture {
  std::string_view model_type;                 // as their config.json says
  std::vector<std::string> optional_prefixes;  // that their names may begin with
  // Their class for each purpose; empty: there is none.
  std::array<std::string_view, 3> classes;
  // The mark that fills batches up. In a decoder it is the end mark, as is usual for GPT-2: a
  // prompt has begin marks, and one without an attention mask must not look filled up. Elsewhere it
  // is the begin mark, with which a decoder of Marian begins.
  TokenId padding = begin_id;
  // Overrides, such as "model.d_model=768". Throws ConfigError that names a setting not done here.
  std::vector<std::string> (*options)(const TheirConfig& config);
  // The settings of the model that is most like ours: `options` of them may give other options.
  Json (*settings)(const ModelOptions& ours);
  std::vector<TensorRow> (*rows)(const TheirConfig& config);
  // Whether a tensor is no parameter of the model as it is used here: a buffer, or another head.
  bool (*left_out)(std::string_view name);
  // Tensors that are others once more, such as the table of tokens where a model is tied.
  std::vector<TiedTensor> (*tied)(const TheirConfig& config);
};

extern const Architecture gpt2_architecture;
extern const Architecture llama_architecture;
extern const Architecture bert_architecture;
extern const Architecture albert_architecture;
extern const Architecture marian_architecture;

// The architecture of a config.json. Throws ConfigError that lists those that there are.
const Architecture& architecture_of(const TheirConfig& config);

// The architecture that is most like a model of ours.
const Architecture& nearest_architecture(const ModelOptions& ours);

// By the class of theirs that a config.json names; tokens if it names none that is known.
Purpose purpose_of(const TheirConfig& config);

// How many classes, or labels, a model of them has.
Index count_labels(const TheirConfig& config);

// How many rows a tensor of theirs has for the entries of a vocabulary.
Index rows_of_entries(const TheirConfig& config, Entries entries);

// Whether the output layer is the table of tokens. `usual`: if a config.json does not say.
bool output_is_table(const TheirConfig& config, bool usual);

// The output layer, if it is this table.
std::vector<TiedTensor> tied_output(const TheirConfig& config, bool usual, const char* table);

// Rows for `weight` and `bias` of a map or a norm; our norms call their weight `gain`.
void append_map(std::vector<TensorRow>& rows, const std::string& ours, const std::string& theirs,
                bool bias = true, TensorRow::Form form = TensorRow::Form::same, Index part = 0,
                Index parts = 1);
void append_norm(std::vector<TensorRow>& rows, const std::string& ours, const std::string& theirs,
                 bool bias = true);

// Our name of an activation. Throws ConfigError for one that there is not.
std::string activation_of(const TheirConfig& config, const char* setting, const char* otherwise);

// Their name of one; of two spellings the usual one.
std::string their_activation(Activation activation);

// Of one vocabulary.
struct EntryRows {
  std::vector<std::optional<Index>> theirs;  // of each of our rows, with the mask's at the end
  // Of each row of the output layer: whether it is predicted. A mark that their model does not have
  // is not; nor is a begin mark that is its end mark too, or a piece that is unknown to it.
  std::vector<bool> predicted;
};

EntryRows entry_rows(const PretrainedTokenizer& tokenizer, bool masked);

struct VocabularyRows {
  EntryRows source;
  EntryRows target;

  const EntryRows& of(Entries entries) const {
    return entries == Entries::target ? target : source;
  }
};

// Reads generation_config.json, or config.json if there is none: entries that it suppresses are not
// predicted. Warns if theirs has more end marks than `end`, its id there, or -1, and of settings
// that have no counterpart here. Throws IoError and ConfigError.
void apply_generation_settings(const PretrainedFiles& files, Index end, EntryRows& rows);

// Where the numbers of a parameter of ours are in a tensor of theirs.
class Placement {
 public:
  // `ours`: the shape of the parameter. `rows`, `their_entries`: of the row's vocabulary, if it has
  // one. Neither `row` nor `rows` is copied.
  Placement(const TensorRow& row, const Shape& ours, const EntryRows& rows, Index their_entries)
      : row_(row), ours_(ours), rows_(rows), their_entries_(their_entries) {}

  std::vector<Index> their_shape() const;

  // Calls `visit` with the place of each number of ours and its place in the memory of theirs; none
  // for an entry that they do not have.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (Index i = 0, place = 0; i < ours_[0]; ++i) {
      for (Index j = 0; j < columns(); ++j, ++place) {
        visit(static_cast<std::size_t>(place), at(i, j));
      }
    }
  }

 private:
  Index columns() const { return ours_.rank() == 2 ? ours_[1] : 1; }
  std::optional<Index> at(Index i, Index j) const;
  bool transposed() const { return row_.form == TensorRow::Form::transposed && ours_.rank() == 2; }
  bool of_entries() const { return row_.entries != Entries::none; }
  Index their_rows() const { return of_entries() ? their_entries_ : ours_[0] * row_.parts; }

  const TensorRow& row_;
  Shape ours_;
  const EntryRows& rows_;
  Index their_entries_;
};

}  // namespace tapehead
