// Which rows of another model's embedding and output layer belong to the entries of our vocabulary,
// and where the numbers of a parameter of ours are in a tensor of theirs.
#pragma once

#include "core/shape.hpp"
#include "interchange/architecture.hpp"
#include "interchange/pretrained_files.hpp"
#include "interchange/tokenizers/read_pretrained.hpp"

namespace tapehead {

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
