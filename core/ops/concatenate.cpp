#include "core/ops/concatenate.hpp"

#include "core/kernel/row_kernels.hpp"
#include "core/memory/pool.hpp"
#include "core/ops/row_parts.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

void check_axis(const char* op, Index axis) {
  if (axis != 0 && axis != 1) {
    throw ShapeError("{}.axis: expected 0 (rows) or 1 (columns), got {}", op, axis);
  }
}

// The sum of the pieces' extents along the axis.
Index check_pieces(std::span<const Var> pieces, Index axis) {
  check_axis("concatenate", axis);
  if (pieces.empty()) {
    throw ShapeError("concatenate: expected at least one matrix, got none");
  }
  Index together = 0;
  const Shape& first = pieces[0].shape();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Shape& shape = pieces[i].shape();
    if (shape.rank() != 2) {
      wrong_shape(fmt::format("concatenate.pieces[{}]", i), "two axes", shape);
    }
    const Shape expected = axis == 0 ? Shape{shape[0], first[1]} : Shape{first[0], shape[1]};
    if (shape != expected) {
      wrong_shape(fmt::format("concatenate.pieces[{}] after {}", i, first.to_string()),
                  expected.to_string(), shape);
    }
    together += shape[axis];
  }
  return together;
}

// The place of a piece in the whole. A piece that is as wide as the whole counts as one row.
struct Place {
  Index rows;
  Index columns;  // of the piece
  Index stride;   // columns of the whole
};

Place place_of(const Shape& piece, Index axis, const Shape& whole) {
  return axis == 0 ? Place{1, piece.size(), whole.size()} : Place{piece[0], piece[1], whole[1]};
}

// Copies or adds a piece: `from` has rows `stride` apart, `to` has rows `to_stride` apart.
void put_piece(const Place& place, const Scalar* from, Index stride, const GradientTarget& to,
               Index to_stride) {
  for (Index i = 0; i < place.rows; ++i) {
    Scalar* row = to.data + i * to_stride;
    if (to.accumulate) {
      add_to(row, from + i * stride, place.columns);
    } else {
      std::copy_n(from + i * stride, place.columns, row);
    }
  }
}

}  // namespace

Var concatenate(std::span<const Var> pieces, Index axis) {
  const Index together = check_pieces(pieces, axis);
  const Shape& first = pieces[0].shape();
  const Shape whole = axis == 0 ? Shape{together, first[1]} : Shape{first[0], together};
  Tensor y = Tensor::empty(whole);
  PoolVector<Place> places;
  Scalar* to = y.data();
  for (const Var& piece : pieces) {
    const Place& place = places.emplace_back(place_of(piece.shape(), axis, whole));
    put_piece(place, piece.value().data(), place.columns, {to, false}, place.stride);
    to += place.columns;
  }
  return pieces[0].tape().record(
      "concatenate", pieces, std::move(y), [places = std::move(places)](Gradients& g) {
        const Scalar* from = g.output().data();
        for (Index input = 0; const Place& place : places) {
          if (g.needs(input)) {
            put_piece(place, from, place.stride, g.target(input), place.columns);
          }
          from += place.columns;
          ++input;
        }
      });
}

Var slice(const Var& x, Index axis, Index begin, Index end) {
  const auto [N, D] = dims<2>(x, "slice.x");
  check_axis("slice", axis);
  if (begin < 0 || end < begin || end > x.shape()[axis]) {
    throw ShapeError("slice: {} {} to {} are not all in x {}", axis == 0 ? "rows" : "columns",
                     begin, end, x.shape().to_string());
  }
  const Shape shape = axis == 0 ? Shape{end - begin, D} : Shape{N, end - begin};
  const Place place = place_of(shape, axis, x.shape());
  const Index first = axis == 0 ? begin * D : begin;
  Tensor y = Tensor::empty(shape);
  put_piece(place, x.value().data() + first, place.stride, {y.data(), false}, place.columns);
  return x.tape().record("slice", {x}, std::move(y), [first, place](Gradients& g) {
    // dx = dy in the columns or rows of the slice, else 0
    const auto [dx, accumulate] = g.target(0);
    if (!accumulate) {
      std::fill_n(dx, place.rows * place.stride, Scalar{0});
    }
    put_piece(place, g.output().data(), place.columns, {dx + first, accumulate}, place.stride);
  });
}

namespace {

void expect_tiled(const Var& x, const Segments& segments, const char* name) {
  if (row_count(segments) != x.shape()[0]) {
    throw ShapeError("join_sequences.{}: {} has {} rows, but its segments have {}", name,
                     x.shape().to_string(), x.shape()[0], row_count(segments));
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
    throw ShapeError("join_sequences: {} sequences before, but {} after", before_segments.count(),
                     after_segments.count());
  }
  Tensor y = Tensor::empty({M + N, D});
  for (Index i = 0; i < after_segments.count(); ++i) {
    const Segment& first = before_segments[i];
    const Segment& second = after_segments[i];
    const Index to = first.row + second.row;
    std::copy_n(before.value().row(first.row), first.rows * D, y.row(to));
    std::copy_n(after.value().row(second.row), second.rows * D, y.row(to + first.rows));
  }
  return before.tape().record(
      "join_sequences", {before, after}, std::move(y),
      [D, before_segments, after_segments](Gradients& g) {
        // dx[i] = dy[row of y that row i became]
        for (const Index input : {0, 1}) {
          const Segments& own = input == 0 ? before_segments : after_segments;
          const GradientTarget dx = g.needs(input) ? g.target(input) : GradientTarget{};
          for (Index i = 0; i < own.count() && dx.data != nullptr; ++i) {
            const Index from = before_segments[i].row + after_segments[i].row +
                               (input == 0 ? 0 : before_segments[i].rows);
            put_piece({.rows = 1, .columns = own[i].rows * D, .stride = 0}, g.output().row(from), 0,
                      {dx.data + own[i].row * D, dx.accumulate}, 0);
          }
        }
      });
}

Var select_rows(const Var& x, std::span<const Index> rows) {
  const auto [N, D] = dims<2>(x, "select_rows.x");
  if (!std::ranges::is_sorted(rows, std::less_equal<>()) ||
      (!rows.empty() && (rows.front() < 0 || rows.back() >= N))) {
    throw ShapeError("select_rows.rows: expected increasing rows of x {}", x.shape().to_string());
  }
  return gather_rows("select_rows", x, rows, 1);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
