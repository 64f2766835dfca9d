#include "core/ops/embedding.hpp"

#include "core/kernel/row_kernels.hpp"
#include "core/kernel/vector_functions.hpp"
#include "core/ops/row_parts.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

void expect_rows(const char* what, Index row, Index rows, const char* remedy) {
  if (row < 0 || row >= rows) {
    throw ShapeError("{}: {} is outside the table's 0 ... {}{}", what, row, rows - 1, remedy);
  }
}

}  // namespace

Var lookup(const Var& table, std::span<const TokenId> ids, Scalar scale) {
  const auto [V, D] = dims<2>(table, "lookup.table");
  for (const TokenId id : ids) {
    expect_rows("lookup.ids", id, V, "");
  }
  return gather_rows("lookup", table, ids, scale);
}

Var add_positions(const Var& x, const Var& table, const Segments& segments, Scalar scale) {
  const auto [N, D] = dims<2>(x, "add_positions.x");
  const auto [P, table_D] = dims<2>(table, "add_positions.table");
  expect_shape(table, {P, D}, "add_positions.table for x", x);
  if (row_count(segments) != N) {
    wrong_shape("add_positions.x", fmt::format("the {} rows of the segments", row_count(segments)),
                x.shape());
  }
  Tensor y = Tensor::empty(x.shape());
  const auto add = [s = Lanes(scale)](auto a, auto b) { return fused_multiply_add(s, b, a); };
  for (const Segment& segment : segments.list) {
    if (segment.rows > 0) {
      expect_rows("add_positions: position", segment.position, P, "");
      expect_rows("add_positions: position", segment.position + segment.rows - 1, P,
                  " (raise model.max_positions)");
      map_row(segment.rows * D, y.row(segment.row), add, x.value().row(segment.row),
              table.value().row(segment.position));
    }
  }
  return x.tape().record(
      "add_positions", {x, table}, std::move(y),
      [shape = table.shape(), list = table.needs_gradient() ? segments : Segments(),
       scale](Gradients& g) {
        // dx = dy,  dtable[position of n] += scale dy[n]
        if (g.needs(1)) {
          Scalar* dtable = g.sum(1);
          for (const Segment& segment : list.list) {
            add_multiple(segment.rows * shape[1], scale, g.output().row(segment.row),
                         dtable + segment.position * shape[1]);
          }
        }
        g.add(0, g.take_output());
      });
}

Tensor sinusoidal_positions(Index positions, Index D) {
  Tensor table = Tensor::empty({positions, D});
  for (Index p = 0; p < positions; ++p) {
    for (Index c = 0; c < D; ++c) {
      const Index even = c - c % 2;
      const double angle = static_cast<double>(p) /
                           std::pow(10000.0, static_cast<double>(even) / static_cast<double>(D));
      table.row(p)[c] = static_cast<Scalar>(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
