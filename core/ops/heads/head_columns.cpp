#include "core/ops/heads/head_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/tape/dims.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

void expect_heads(const HeadColumns& columns, Index rows, Index heads, Index width,
                  std::string_view what) {
  const auto [N, all] = dims<2>(columns.matrix, what);
  if (N < rows || heads < 1 || columns.first < 0 || columns.begin(heads - 1, width) + width > all) {
    wrong_shape(what,
                fmt::format("at least {} rows, and {} columns from column {} on", rows,
                            columns.begin(heads - 1, width) + width - columns.first, columns.first),
                columns.matrix.shape());
  }
}

HeadGradient::HeadGradient(Gradients& g, Index input, const HeadMatrix& of)
    : HeadGradient(cleared_later(g, input, of)) {
  clear_to(all_rows);
}

HeadGradient HeadGradient::cleared_later(Gradients& g, Index input, const HeadMatrix& of) {
  HeadGradient result;
  if (g.needs(input)) {
    const auto [memory, accumulate] = g.target(input);
    result.data_ = memory + of.first;
    result.stride_ = of.matrix.dim(1);
    result.step_ = of.step;
    result.not_cleared_ = memory;
    result.rows_ = of.rows();
    result.cleared_rows_ = accumulate ? of.rows() : 0;
  }
  return result;
}

void HeadGradient::clear_to(Index row) {
  const Index end = std::min(row, rows_);
  if (end > cleared_rows_) {
    not_cleared_ = std::fill_n(not_cleared_, (end - cleared_rows_) * stride_, Scalar{0});
    cleared_rows_ = end;
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
