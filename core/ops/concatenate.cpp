#include "core/ops/concatenate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"
#include "core/kernel/rows.hpp"
#include "core/memory/pool_vector.hpp"
#include "core/tape/dims.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

void check_axis(const char* op, Index axis) {
  if (axis != 0 && axis != 1) {
    throw ShapeError(fmt::format("{}.axis: expected 0 (rows) or 1 (columns), got {}", op, axis));
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

// The place of a piece in the whole. A piece as wide as the whole is contiguous, so rows count as
// columns of a matrix with one row.
struct Place {
  Index rows;
  Index columns;  // of the piece
  Index stride;   // columns of the whole
};

Place place_of(const Shape& piece, Index axis, const Shape& whole) {
  return axis == 0 ? Place{1, piece.size(), whole.size()} : Place{piece[0], piece[1], whole[1]};
}

void copy_in(const Tensor& piece, const Place& place, Scalar* whole) {
  for (Index i = 0; i < place.rows; ++i) {
    std::copy_n(piece.data() + i * place.columns, place.columns, whole + i * place.stride);
  }
}

// The gradient of a piece: its part of the whole.
void put_piece(const GradientTarget& to, const Place& place, const Scalar* whole) {
  for (Index i = 0; i < place.rows; ++i) {
    Scalar* row = to.data + i * place.columns;
    if (to.accumulate) {
      add_to(row, whole + i * place.stride, place.columns);
    } else {
      std::copy_n(whole + i * place.stride, place.columns, row);
    }
  }
}

// The gradient of the whole from that of one piece: 0 for the rest.
void put_whole(const GradientTarget& to, Index first, const Place& place, const Tensor& dy) {
  if (!to.accumulate) {
    std::fill_n(to.data, place.rows * place.stride, Scalar{0});
    copy_in(dy, place, to.data + first);
    return;
  }
  for (Index i = 0; i < place.rows; ++i) {
    add_to(to.data + first + i * place.stride, dy.data() + i * place.columns, place.columns);
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
    places.push_back(place_of(piece.shape(), axis, whole));
    copy_in(piece.value(), places.back(), to);
    to += places.back().columns;
  }
  return pieces[0].tape().record("concatenate", pieces, std::move(y),
                                 [places = std::move(places)](Gradients& g) {
                                   const Scalar* from = g.output().data();
                                   Index input = 0;
                                   for (const Place& place : places) {
                                     if (g.needs(input)) {
                                       put_piece(g.target(input), place, from);
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
    throw ShapeError(fmt::format("slice: {} {} to {} do not lie in x {}",
                                 axis == 0 ? "rows" : "columns", begin, end,
                                 x.shape().to_string()));
  }
  const Shape shape = axis == 0 ? Shape{end - begin, D} : Shape{N, end - begin};
  const Place place = place_of(shape, axis, x.shape());
  const Index first = axis == 0 ? begin * D : begin;
  Tensor y = Tensor::empty(shape);
  put_piece({y.data(), false}, place, x.value().data() + first);
  return x.tape().record("slice", {x}, std::move(y), [first, place](Gradients& g) {
    put_whole(g.target(0), first, place, g.output());
  });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
