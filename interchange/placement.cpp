#include "interchange/placement.hpp"

#include <utility>

namespace tapehead {

namespace {

// The place of number i of n among all of even places, then all of odd ones.
Index by_halves(Index i, Index n) { return i % 2 == 0 ? i / 2 : (n + 1) / 2 + i / 2; }

}  // namespace

std::vector<Index> Placement::their_shape() const {
  if (row_.form == TensorRow::Form::one_row) {
    return {1, their_rows()};
  }
  std::vector<Index> shape{their_rows()};
  if (ours_.rank() == 2) {
    shape.push_back(columns());
  }
  if (transposed()) {
    std::swap(shape[0], shape[1]);
  }
  return shape;
}

std::optional<Index> Placement::at(Index i, Index j) const {
  const Index row = row_.rows_by_halves ? by_halves(i, ours_[0]) : i;
  const Index column = row_.columns_by_halves ? by_halves(j, columns()) : j;
  const std::optional<Index> their_row = of_entries() ? rows_.theirs[static_cast<std::size_t>(row)]
                                                      : std::optional(row_.part * ours_[0] + row);
  if (!their_row) {
    return std::nullopt;
  }
  return transposed() ? column * their_rows() + *their_row : *their_row * columns() + column;
}

}  // namespace tapehead
