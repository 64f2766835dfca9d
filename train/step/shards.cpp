#include "train/step/shards.hpp"

namespace tapehead {

namespace {

template <class T>
PoolVector<T> slice(const PoolVector<T>& all, Index first, Index count) {
  return {all.begin() + first, all.begin() + first + count};
}

Tokens tokens_from(const Tokens& all, Index first, Index end, Index rows_before) {
  const Index row = all.segments[first].row;
  Tokens part;
  part.segments.first_row = rows_before + row;
  part.segments.list = slice(all.segments.list, first, end - first);
  for (Segment& segment : part.segments.list) {
    segment.row -= row;
  }
  const Index rows = row_count(part.segments);
  part.ids = slice(all.ids, row, rows);
  if (!all.types.empty()) {
    part.types = slice(all.types, row, rows);
  }
  if (!all.lanes.empty()) {
    part.lanes = slice(all.lanes, first, end - first);
  }
  return part;
}

// The labels of `rows` rows, beginning at `row`; their row numbers become relative to `row`.
Labels labels_from(const Labels& all, Index row, Index rows) {
  if (all.every_row) {
    return {.every_row = true, .rows = {}, .ids = slice(all.ids, row, rows)};
  }
  const auto begin = std::ranges::lower_bound(all.rows, row);
  const auto end = std::ranges::lower_bound(all.rows, row + rows);
  Labels part{.every_row = false, .rows = {begin, end}, .ids = {}};
  part.ids = slice(all.ids, begin - all.rows.begin(), end - begin);
  for (Index& labelled : part.rows) {
    labelled -= row;
  }
  return part;
}

}  // namespace

PoolVector<Batch> cut_into_shards(const Batch& batch, Index shards, RowsBefore before) {
  PoolVector<Batch> parts;
  parts.reserve(static_cast<std::size_t>(shards));
  const auto rows_to = [&batch](Index sequence) {
    const Segment& context = batch.context.segments[sequence];
    const Segment& input = batch.input.segments[sequence];
    return context.row + context.rows + input.row + input.rows;
  };
  const Index total = batch.sequences() == 0 ? 0 : rows_to(batch.sequences() - 1);
  Index first = 0;
  for (Index part = 1; part <= shards && first < batch.sequences(); ++part) {
    Index end = first + 1;
    while (end < batch.sequences() && (part == shards || rows_to(end) * shards <= total * part)) {
      ++end;
    }
    Batch& cut = parts.emplace_back();
    cut.context = tokens_from(batch.context, first, end, before.context);
    cut.input = tokens_from(batch.input, first, end, before.input);
    cut.labels = labels_from(batch.labels, batch.input.segments[first].row, cut.input.rows());
    cut.examples = slice(batch.examples, first, end - first);
    first = end;
  }
  return parts;
}

PoolVector<Batch> cut_into_parts(const Batch& shard, Index part_rows) {
  const Index rows = row_count(shard.context.segments) + row_count(shard.input.segments);
  const Index parts = std::max<Index>(1, (rows + part_rows / 2) / part_rows);
  return cut_into_shards(
      shard, parts,
      {.context = shard.context.segments.first_row, .input = shard.input.segments.first_row});
}

}  // namespace tapehead
