#include "core/sequence/batch.hpp"

namespace tapehead {

namespace {

void expect_tiled(const Tokens& tokens, std::string_view name, Index sequences) {
  if (tokens.segments.count() != sequences || row_count(tokens.segments) != tokens.rows()) {
    throw ShapeError(
        fmt::format("batch.{}: {} segments of {} rows in all, for {} sequences and {} tokens", name,
                    tokens.segments.count(), row_count(tokens.segments), sequences, tokens.rows()));
  }
  if (!tokens.lanes.empty() && std::ssize(tokens.lanes) != sequences) {
    throw ShapeError(fmt::format("batch.{}.lanes: {} lanes for {} sequences", name,
                                 tokens.lanes.size(), sequences));
  }
  if (!tokens.types.empty() && tokens.types.size() != tokens.ids.size()) {
    throw ShapeError(fmt::format("batch.{}.types: {} types for {} tokens", name,
                                 tokens.types.size(), tokens.rows()));
  }
}

}  // namespace

void expect_whole(const Batch& batch) {
  expect_tiled(batch.context, "context", batch.sequences());
  expect_tiled(batch.input, "input", batch.sequences());
  const auto& [every_row, rows, ids] = batch.labels;
  const Index expected = every_row ? batch.input.rows() : static_cast<Index>(rows.size());
  if (batch.labels.count() != expected || (every_row && !rows.empty())) {
    throw ShapeError(fmt::format("batch.labels: {} labels for {} rows", ids.size(), expected));
  }
  const bool increasing = std::ranges::is_sorted(rows, std::less_equal<>());
  if (!rows.empty() && (!increasing || rows.front() < 0 || rows.back() >= batch.input.rows())) {
    throw ShapeError(fmt::format("batch.labels.rows: expected increasing rows of an input of {}",
                                 batch.input.rows()));
  }
}

}  // namespace tapehead
