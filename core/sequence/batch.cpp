#include "core/sequence/batch.hpp"

namespace tapehead {

namespace {

void expect_tiled(const Tokens& tokens, std::string_view name, Index sequences) {
  if (tokens.segments.count() != sequences || row_count(tokens.segments) != tokens.rows()) {
    throw ShapeError("batch.{}: {} segments with {} rows in total, but {} sequences and {} tokens",
                     name, tokens.segments.count(), row_count(tokens.segments), sequences,
                     tokens.rows());
  }
  if (!tokens.lanes.empty() && std::ssize(tokens.lanes) != sequences) {
    throw ShapeError("batch.{}.lanes: {} lanes for {} sequences", name, tokens.lanes.size(),
                     sequences);
  }
  if (!tokens.types.empty() && tokens.types.size() != tokens.ids.size()) {
    throw ShapeError("batch.{}.types: {} types for {} tokens", name, tokens.types.size(),
                     tokens.rows());
  }
}

}  // namespace

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
  const auto longest = std::ranges::max_element(segments.list, {}, &Segment::rows);
  return longest == segments.list.end() ? 0 : longest->rows;
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

void expect_whole(const Batch& batch) {
  expect_tiled(batch.context, "context", batch.sequences());
  expect_tiled(batch.input, "input", batch.sequences());
  const auto& [every_row, rows, ids] = batch.labels;
  const Index expected = every_row ? batch.input.rows() : static_cast<Index>(rows.size());
  if (batch.labels.count() != expected || (every_row && !rows.empty())) {
    throw ShapeError("batch.labels: {} labels for {} rows", ids.size(), expected);
  }
  const bool increasing = std::ranges::is_sorted(rows, std::less_equal<>());
  if (!rows.empty() && (!increasing || rows.front() < 0 || rows.back() >= batch.input.rows())) {
    throw ShapeError("batch.labels.rows: expected increasing rows of an input of {}",
                     batch.input.rows());
  }
}

}  // namespace tapehead
