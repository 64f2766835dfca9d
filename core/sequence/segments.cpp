#include "core/sequence/segments.hpp"

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

Segments rows_before(const Segments& segments, Index most) {
  Segments before;
  Index row = 0;
  for (const Segment& segment : segments.list) {
    const Index rows = std::clamp<Index>(segment.position, 0, most);
    before.list.push_back({.row = row, .rows = rows, .position = segment.position - rows});
    row += rows;
  }
  return before;
}

Segments joined(const Segments& before, const Segments& after) {
  Segments both;
  Index row = 0;
  for (Index i = 0; i < after.count(); ++i) {
    const Index rows = before[i].rows + after[i].rows;
    const Index position = before[i].rows > 0 ? before[i].position : after[i].position;
    both.list.push_back({.row = row, .rows = rows, .position = position});
    row += rows;
  }
  return both;
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
