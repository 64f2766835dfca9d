#include "core/ops/select_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/errors.hpp"
#include "core/kernel/rows.hpp"
#include "core/memory/pool_vector.hpp"
#include "core/tape/dims.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Var select_rows(const Var& x, std::span<const Index> rows) {
  const auto [N, D] = dims<2>(x, "select_rows.x");
  if (!std::ranges::is_sorted(rows, std::less_equal<>()) ||
      (!rows.empty() && (rows.front() < 0 || rows.back() >= N))) {
    throw ShapeError(
        fmt::format("select_rows.rows: expected increasing rows of x {}", x.shape().to_string()));
  }
  Tensor y = Tensor::empty({static_cast<Index>(rows.size()), D});
  for (Index i = 0; i < y.dim(0); ++i) {
    std::copy_n(x.value().row(rows[static_cast<std::size_t>(i)]), D, y.row(i));
  }
  return x.tape().record("select_rows", {x}, std::move(y),
                         [D, kept = PoolVector<Index>(rows.begin(), rows.end())](Gradients& g) {
                           // dx[rows[i]] = dy[i], and 0 for all other rows
                           Scalar* dx = g.sum(0);
                           for (Index i = 0; i < g.output().dim(0); ++i) {
                             add_to(dx + kept[static_cast<std::size_t>(i)] * D, g.output().row(i),
                                    D);
                           }
                         });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
