#include "core/ops/matmul.hpp"

#include <algorithm>

#include "core/product/matrix_product.hpp"
#include "core/tape/dims.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Calls use(i, j) for every element of a matrix, tile by tile. In a transposition one of the two
// matrices is traversed against its rows; within a tile its cache lines are used again while they
// are cached.
template <class Use>
void for_each_in_tiles(Index rows, Index columns, const Use& use) {
  constexpr Index tile = 16;
  for (Index row = 0; row < rows; row += tile) {
    for (Index column = 0; column < columns; column += tile) {
      for (Index i = row; i < std::min(row + tile, rows); ++i) {
        for (Index j = column; j < std::min(column + tile, columns); ++j) {
          use(i, j);
        }
      }
    }
  }
}

}  // namespace

Var matmul(const Var& a, const Var& b) {
  const auto [N, K] = dims<2>(a, "matmul.a");
  const auto [b_rows, M] = dims<2>(b, "matmul.b");
  expect_shape(b, {K, M}, "matmul.b for a", a);
  Tensor y = Tensor::empty({N, M});
  matrix_product(N, M, K, {a.value().data(), K}, {b.value().data(), M}, y.data(), M, false);
  return a.tape().record("matmul", {a, b}, std::move(y),
                         [a = a.value(), b = b.value()](Gradients& g) {
                           // da = dy bᵀ,  db = aᵀ dy
                           const Index rows = a.dim(0);
                           const Index depth = a.dim(1);
                           const Index columns = b.dim(1);
                           const MatrixView dy{g.output().data(), columns};
                           if (g.needs(0)) {
                             const auto [da, accumulate] = g.target(0);
                             matrix_product(rows, depth, columns, dy, {b.data(), columns, true}, da,
                                            depth, accumulate);
                           }
                           if (g.needs(1)) {
                             const auto [db, accumulate] = g.target(1);
                             matrix_product(depth, columns, rows, {a.data(), depth, true}, dy, db,
                                            columns, accumulate);
                           }
                         });
}

Var transpose(const Var& x) {
  const auto [N, M] = dims<2>(x, "transpose.x");
  Tensor y = Tensor::empty({M, N});
  for_each_in_tiles(
      M, N, [from = x.value().data(), to = y.data(), rows = N, columns = M](Index i, Index j) {
        to[i * rows + j] = from[j * columns + i];
      });
  return x.tape().record("transpose", {x}, std::move(y), [](Gradients& g) {
    // dx = dyᵀ
    const Index rows = g.output().dim(1);
    const Index columns = g.output().dim(0);
    const Scalar* dy = g.output().data();
    const auto [dx, accumulate] = g.target(0);
    if (accumulate) {
      for_each_in_tiles(rows, columns, [dx = dx, dy, rows, columns](Index i, Index j) {
        dx[i * columns + j] += dy[j * rows + i];
      });
    } else {
      for_each_in_tiles(rows, columns, [dx = dx, dy, rows, columns](Index i, Index j) {
        dx[i * columns + j] = dy[j * rows + i];
      });
    }
  });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
