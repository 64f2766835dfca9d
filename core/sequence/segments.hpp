// Segments: which rows of a ragged batch form which sequence, and at which position each begins.
#pragma once

#include "core/memory/pool.hpp"

namespace tapehead {

// A run of consecutive rows that belong to one sequence.
struct Segment {
  Index row = 0;       // the first row in the matrix
  Index rows = 0;      // how many there are; may be 0
  Index position = 0;  // the position, inside its sequence, of the first row; may be negative
  Index prefix = 0;    // queries attend to all keys below this position, whatever the pattern says
};

// The sequences of a batch. Query segments tile their matrix in order; key segments may overlap,
// leave gaps and serve several query segments: query segment i attends to key segment i.
struct Segments {
  PoolVector<Segment> list;
  Index first_row = 0;  // rows of the training step before these: the address of random draws

  Index count() const { return static_cast<Index>(list.size()); }
  const Segment& operator[](Index i) const { return list[static_cast<std::size_t>(i)]; }
};

// Segments of the given lengths, laid end to end, each from position 0.
Segments segments_of(const std::vector<Index>& lengths);

// For each sequence that begins inside a stream, at most `most` rows before it, laid end to end.
Segments rows_before(const Segments& segments, Index most);

// For each sequence, the rows of `before` and then those of `after`, laid end to end.
Segments joined(const Segments& before, const Segments& after);

Index row_count(const Segments& segments);  // one past the last row that any segment holds
Index most_rows(const Segments& segments);  // of the longest segment; 0 without segments

// The position of each row of segments that tile their matrix.
std::vector<Index> positions(const Segments& segments);

}  // namespace tapehead
