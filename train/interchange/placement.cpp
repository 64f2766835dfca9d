#include "train/interchange/placement.hpp"

#include <utility>

namespace tapehead {

std::vector<Index> Placement::their_shape() const {
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
  const std::optional<Index> their_row = row_.entries ? rows_.theirs[static_cast<std::size_t>(i)]
                                                      : std::optional(row_.part * ours_[0] + i);
  if (!their_row) {
    return std::nullopt;
  }
  return transposed() ? j * their_rows() + *their_row : *their_row * columns() + j;
}

}  // namespace tapehead
