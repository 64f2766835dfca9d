// How the architectures of other programs map to our options, settings and parameters, in both
// directions. "Their" refers to the other program.
#pragma once

#include "core/shape.hpp"
#include "interchange/pretrained_files.hpp"
#include "interchange/tokenizers/pretrained_tokenizers.hpp"
#include "train/options/application.hpp"

namespace tapehead {

// Which vocabulary the rows (or numbers) of a tensor stand for.
enum class Entries { none, source, target };

// Where the numbers of our parameter `ours` are in their tensor `theirs`.
struct TensorRow {
  // transposed: their shape is (in, out). one_row: their shape is (1, n), ours (n).
  enum class Form { same, transposed, one_row };

  std::string ours;
  std::string theirs;  // with their prefix
  Form form = Form::same;
  Index part = 0;  // index among `parts` equal parts, stacked as rows of the (out, in) matrix
  Index parts = 1;
  Entries entries = Entries::none;
  // Whether the axis is permuted in their tensor: even positions first, then odd positions.
  bool rows_by_halves = false;
  bool columns_by_halves = false;
  bool only_written = false;  // a duplicate of another tensor; an import does not read it
};

// A tensor that must equal `original`; only the original is imported. `name` has no prefix.
struct TiedTensor {
  std::string name;
  std::string original;
};

struct Architecture {
  std::string_view name;             // in help texts
  std::string_view model_type;       // as in their config.json
  std::string_view optional_prefix;  // with which their tensor names may begin
  // The transformers class for each Purpose; empty: not supported.
  std::array<std::string_view, 3> classes;
  // The token that fills up batches. Decoders use the end mark, as GPT-2 does: a prompt contains
  // begin marks, which must not count as padding when there is no attention mask. Other
  // architectures use the begin mark, with which a Marian decoder starts.
  TokenId padding = begin_id;
  bool usually_tied = true;  // the output layer is the token table, if config.json does not say
  // Overrides, such as "model.d_model=768". Throws ConfigError that names an unsupported setting.
  std::vector<std::string> (*options)(const TheirConfig& config);
  // The settings of their most similar model. `options` of these settings may differ from `ours`.
  Json (*settings)(const ModelOptions& ours);
  std::vector<TensorRow> (*rows)(const TheirConfig& config);
  // The tensors that an import skips, as patterns: buffers, and the weights of unused heads.
  std::vector<std::string_view> left_out;
  // Duplicates of other tensors, such as an output layer that is tied to the token table.
  std::vector<TiedTensor> (*tied)(const TheirConfig& config);
};

extern const Architecture gpt2_architecture;
extern const Architecture llama_architecture;
extern const Architecture bert_architecture;
extern const Architecture albert_architecture;
extern const Architecture marian_architecture;

// The names of all architectures: "GPT-2, Llama or BERT" if `last` is "or".
std::string architecture_names(std::string_view last);

// The architecture of a config.json. Throws ConfigError that lists the supported architectures.
const Architecture& architecture_of(const TheirConfig& config);

const Architecture& nearest_architecture(const ModelOptions& ours);

// From the class that config.json names; Purpose::tokens if it names no known class.
Purpose purpose_of(const TheirConfig& config);

Index count_labels(const TheirConfig& config);  // of classes or of tokens

// The number of rows that their tensor has for a vocabulary.
Index rows_of_entries(const TheirConfig& config, Entries entries);

bool output_is_table(const TheirConfig& config);  // whether the output layer is the token table

// The output layer as a tied tensor, if it shares the token table; otherwise empty.
std::vector<TiedTensor> tied_output(const TheirConfig& config, const char* table);

// Rows for `weight` and `bias` of a linear map or a norm, whose names follow those in `row`; our
// norms, whose names end in `norm`, call their weight `gain`.
void append_map(std::vector<TensorRow>& rows, const TensorRow& row, bool bias = true);

// Our name of the activation in `setting`. Throws ConfigError for an unknown activation.
std::string activation_of(const TheirConfig& config, const char* setting, const char* otherwise);

// Their name of an activation; if it has several, the most common.
std::string their_activation(Activation activation);

// How the entries of one vocabulary correspond.
struct EntryRows {
  std::vector<std::optional<Index>> theirs;  // their row for each of our rows, the mask last
  // Whether each row of the output layer can be predicted. Excluded are marks that their model
  // lacks, a begin mark equal to the end mark, and entries that are unknown to their tokenizer.
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

// Reads generation_config.json or, without it, config.json. Suppressed entries are marked as not
// predicted. Warns about further end marks besides `end` (the id in their files; -1: none) and
// about settings that we do not support. Throws IoError and ConfigError.
void apply_generation_settings(const PretrainedFiles& files, Index end, EntryRows& rows);

// Maps the positions of our parameter's numbers to positions in their tensor.
struct Placement {
  const TensorRow& row;
  Shape ours;  // our parameter's shape
  // The vocabulary of `row`, if it has one.
  const EntryRows& rows;
  Index their_entries;

  std::vector<Index> their_shape() const;

  // Calls `visit` with the position of each of our numbers and its position in their tensor, or
  // nullopt for an entry that their vocabulary lacks.
  void for_each(const auto& visit) const {
    for (Index i = 0, place = 0; i < ours[0]; ++i) {
      for (Index j = 0; j < columns(); ++j, ++place) {
        visit(static_cast<std::size_t>(place), at(i, j));
      }
    }
  }

 private:
  Index columns() const { return ours.rank() == 2 ? ours[1] : 1; }
  std::optional<Index> at(Index i, Index j) const;
  bool transposed() const { return row.form == TensorRow::Form::transposed && ours.rank() == 2; }
  bool of_entries() const { return row.entries != Entries::none; }
  Index their_rows() const { return of_entries() ? their_entries : ours[0] * row.parts; }
};

}  // namespace tapehead
