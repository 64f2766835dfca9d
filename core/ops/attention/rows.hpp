// The rows of one head's vectors, as they lie in a matrix and as products need them.
#pragma once

#include <algorithm>
#include <limits>

#include "core/kernel/rows.hpp"
#include "core/memory/prefetch.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

constexpr Scalar minus_infinity = -std::numeric_limits<Scalar>::infinity();

// Rows of one head's vectors inside a wider matrix.
struct HeadRows {
  const Scalar* data;
  Index stride;
  Index rows;
  Index width;
  bool apart = false;  // not neighbours in memory: copied together before they are used often

  const Scalar* row(Index i) const { return data + i * stride; }
  StoredRows stored() const { return {data, stride, rows, width}; }
};

// Rows that are the right-hand side of products with so many rows. Where those are many, they are
// worth a copy: a power of two apart, or nearly, they share a few sets of the first-level cache.
inline HeadRows used_by(Index rows, HeadRows right) {
  constexpr Index few = 64;
  right.apart = right.apart || rows > few;
  return right;
}

// Rows of whole vectors.
struct Panel {
  const Scalar* data;
  Index step;

  const Scalar* row(Index i) const { return data + i * step; }
  Panel from(Index first) const { return {row(first), step}; }
};

// Rows of whole vectors: the matrix' own where the width allows it, else copies in `room` with
// zeros behind.
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

}  // namespace tapehead::inline TAPEHEAD_PRECISION
