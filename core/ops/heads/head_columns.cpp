#include "core/ops/heads/head_columns.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

void expect_heads(const HeadColumns& columns, Index rows, Index heads, Index width,
                  std::string_view what) {
  const auto [N, all] = dims<2>(columns.matrix, what);
  const Index end = columns.begin(heads - 1, width) + width;
  if (N < rows || heads < 1 || columns.first < 0 || end > all) {
    wrong_shape(what,
                fmt::format("at least {} rows, and {} columns from column {} on", rows,
                            end - columns.first, columns.first),
                columns.matrix.shape());
  }
}

HeadMatrix checked_heads(const HeadColumns& columns, Index heads, Index width,
                         std::string_view what) {
  expect_heads(columns, dims<2>(columns.matrix, what)[0], heads, width, what);
  return columns.of(heads, width);
}

HeadGradient::HeadGradient(Gradients& g, Index input, const HeadMatrix& of)
    : rows_{.data = g.needs(input) ? g.sum(input) + of.first : nullptr, .stride = of.matrix.dim(1)},
      step_(of.step) {}

}}  // namespace tapehead::TAPEHEAD_PRECISION
