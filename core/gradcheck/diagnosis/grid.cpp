#include "core/gradcheck/diagnosis/grid.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {

namespace {

// `count` of 0 ... extent - 1, the first and the last among them.
std::vector<Index> spread(Index extent, Index count) {
  count = std::clamp<Index>(count, 0, extent);
  std::vector<Index> result;
  for (Index i = 0; i < count; ++i) {
    result.push_back(count == 1 ? 0 : i * (extent - 1) / (count - 1));
  }
  return result;
}

}  // namespace

Grid::Grid(const Shape& shape, Index most) : shape_(shape) {
  if (shape.rank() != 2) {
    rows_ = spread(shape.size(), most);
    return;
  }
  const auto side = static_cast<Index>(std::sqrt(static_cast<double>(most)));
  const Index rows = std::min(shape[0], std::max(side, most / std::max<Index>(1, shape[1])));
  rows_ = spread(shape[0], rows);
  columns_ = spread(shape[1], rows > 0 ? most / rows : 0);
}

Comparison Grid::comparison() const {
  const auto count = [](const std::vector<Index>& list) { return static_cast<Index>(list.size()); };
  Comparison result{.shape = {count(rows_)},
                    .analytic = {},
                    .numeric = {},
                    .differs = {},
                    .rows = rows_,
                    .columns = columns_};
  if (shape_.rank() == 2) {
    result.shape = {count(rows_), count(columns_)};
  }
  return result;
}

Index Grid::element(Index i) const {
  if (shape_.rank() != 2) {
    return rows_[static_cast<std::size_t>(i)];
  }
  const auto columns = static_cast<Index>(columns_.size());
  return rows_[static_cast<std::size_t>(i / columns)] * shape_[1] +
         columns_[static_cast<std::size_t>(i % columns)];
}

}  // namespace tapehead
