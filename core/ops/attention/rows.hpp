// The rows of one head's vectors, as a matrix stores them and as products need them.
#pragma once

#include <algorithm>
#include <limits>

#include "core/kernel/rows.hpp"
#include "core/memory/prefetch.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

constexpr Scalar minus_infinity = -std::numeric_limits<Scalar>::infinity();

// Rows of one head's vectors inside a wider matrix.
struct HeadRows {
  const Scalar* data;
  Index stride;
  Index rows;
  Index width;
  bool apart = false;  // not adjacent in memory: to be copied together if used often

  const Scalar* row(Index i) const { return data + i * stride; }
  StoredRows stored() const { return {data, stride, rows, width}; }
};

// Marks rows that are the right-hand side of products with `rows` rows. If there are many products,
// a copy is worth it: rows that are a power of two apart, or nearly, share a few sets of the
// first-level cache. Without copies a step of width 1,024 and length 500 takes 2.6 % more (AVX2).
inline HeadRows used_by(Index rows, HeadRows right) {
  constexpr Index few = 64;
  right.apart = right.apart || rows > few;
  return right;
}

// Rows that are padded to whole vectors.
struct Panel {
  const Scalar* data;
  Index step;

  const Scalar* row(Index i) const { return data + i * step; }
  Panel from(Index first) const { return {row(first), step}; }
};

// Rows that are padded to whole vectors: the rows of the matrix itself if the width allows it,
// otherwise copies in `room`, padded with zeros.
inline Panel panel_of(const HeadRows& from, Index first, Index count, Scalar* room) {
  if (from.width % lane_count == 0 && !from.apart) {
    return {from.row(first), from.stride};
  }
  const Index step = whole_vectors(from.width);
  for (Index i = 0; i < count; ++i) {
    std::copy_n(from.row(first + i), from.width, room + i * step);
    std::fill(room + i * step + from.width, room + (i + 1) * step, Scalar{0});
  }
  return {room, step};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
