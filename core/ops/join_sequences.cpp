#include "core/ops/join_sequences.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"
#include "core/kernel/rows.hpp"
#include "core/memory/pool_vector.hpp"
#include "core/tape/dims.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Consecutive rows of an input, and where they are in the output.
struct JoinedRows {
  Index from;
  Index to;
  Index rows;
};

void expect_tiled(const Var& x, const Segments& segments, const char* name) {
  if (row_count(segments) != x.shape()[0]) {
    throw ShapeError(fmt::format("join_sequences.{}: {} has {} rows, its segments {}", name,
                                 x.shape().to_string(), x.shape()[0], row_count(segments)));
  }
}

void give_gradient(const PoolVector<JoinedRows>& parts, Index D, const Tensor& dy,
                   const GradientTarget& to) {
  for (const JoinedRows& part : parts) {
    Scalar* dx = to.data + part.from * D;
    const Scalar* from = dy.row(part.to);
    to.accumulate ? add_to(dx, from, part.rows * D)
                  : static_cast<void>(std::copy_n(from, part.rows * D, dx));
  }
}

}  // namespace

Var join_sequences(const Var& before, const Segments& before_segments, const Var& after,
                   const Segments& after_segments) {
  const auto [M, D] = dims<2>(before, "join_sequences.before");
  const auto [N, after_D] = dims<2>(after, "join_sequences.after");
  expect_shape(after, {N, D}, "join_sequences.after for before", before);
  expect_tiled(before, before_segments, "before");
  expect_tiled(after, after_segments, "after");
  if (before_segments.count() != after_segments.count()) {
    throw ShapeError(fmt::format("join_sequences: {} sequences before, but {} after",
                                 before_segments.count(), after_segments.count()));
  }
  Tensor y = Tensor::empty({M + N, D});
  PoolVector<JoinedRows> from_before;
  PoolVector<JoinedRows> from_after;
  for (Index i = 0; i < after_segments.count(); ++i) {
    const Segment& first = before_segments[i];
    const Segment& second = after_segments[i];
    const Index to = first.row + second.row;
    from_before.push_back({.from = first.row, .to = to, .rows = first.rows});
    from_after.push_back({.from = second.row, .to = to + first.rows, .rows = second.rows});
    std::copy_n(before.value().row(first.row), first.rows * D, y.row(to));
    std::copy_n(after.value().row(second.row), second.rows * D, y.row(to + first.rows));
  }
  return before.tape().record(
      "join_sequences", {before, after}, std::move(y),
      [D, from_before = std::move(from_before), from_after = std::move(from_after)](Gradients& g) {
        // dx[i] = dy[the place of row i]
        if (g.needs(0)) {
          give_gradient(from_before, D, g.output(), g.target(0));
        }
        if (g.needs(1)) {
          give_gradient(from_after, D, g.output(), g.target(1));
        }
      });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
