#include "core/sequence/segments.hpp"

#include <algorithm>

namespace tapehead {

Segments segments_of(const std::vector<Index>& lengths) {
  Segments segments;
  segments.list.reserve(lengths.size());
  Index row = 0;
  for (const Index length : lengths) {
    segments.list.push_back({.row = row, .rows = length, .position = 0});
    row += length;
  }
  return segments;
}

Index row_count(const Segments& segments) {
  Index rows = 0;
  for (const Segment& segment : segments.list) {
    rows = std::max(rows, segment.row + segment.rows);
  }
  return rows;
}

Index most_rows(const Segments& segments) {
  Index most = 0;
  for (const Segment& segment : segments.list) {
    most = std::max(most, segment.rows);
  }
  return most;
}

std::vector<Index> positions(const Segments& segments) {
  std::vector<Index> result(static_cast<std::size_t>(row_count(segments)), 0);
  for (const Segment& segment : segments.list) {
    for (Index i = 0; i < segment.rows; ++i) {
      result[static_cast<std::size_t>(segment.row + i)] = segment.position + i;
    }
  }
  return result;
}

}  // namespace tapehead
