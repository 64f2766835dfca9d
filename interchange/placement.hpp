// Where the numbers of a parameter of ours are in a tensor of theirs.
#pragma once

#include <optional>
#include <vector>

#include "core/shape.hpp"
#include "interchange/architecture.hpp"
#include "interchange/entry_rows.hpp"

namespace tapehead {

class Placement {
 public:
  // `ours`: the shape of the parameter. `rows`, `their_entries`: of the row's vocabulary, if it has
  // one. Neither `row` nor `rows` is copied.
  Placement(const TensorRow& row, const Shape& ours, const EntryRows& rows, Index their_entries)
      : row_(row), ours_(ours), rows_(rows), their_entries_(their_entries) {}

  std::vector<Index> their_shape() const;

  // The place of number (i, j) of ours, or i of a list, in the memory of theirs; none for an entry
  // that they do not have.
  std::optional<Index> at(Index i, Index j) const;

  Index columns() const { return ours_.rank() == 2 ? ours_[1] : 1; }

 private:
  bool transposed() const { return row_.form == TensorRow::Form::transposed && ours_.rank() == 2; }
  bool of_entries() const { return row_.entries != Entries::none; }
  Index their_rows() const { return of_entries() ? their_entries_ : ours_[0] * row_.parts; }

  const TensorRow& row_;
  Shape ours_;
  const EntryRows& rows_;
  Index their_entries_;
};

}  // namespace tapehead
