#include "core/ops/head_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/dims.hpp"

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

HeadGradient::HeadGradient(Gradients& g, Index input, const HeadMatrix& of) {
  if (Scalar* memory = g.sum(input); memory != nullptr) {
    data_ = memory + of.first;
    stride_ = of.matrix.dim(1);
    step_ = of.step;
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
