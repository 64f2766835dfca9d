#include "train/step/shards.hpp"

namespace tapehead {

namespace {

Segments segments_from(const Segments& all, Index first, Index end, Index rows_before) {
  const Index row = all[first].row;
  Segments part;
  part.first_row = rows_before + row;
  part.list.reserve(static_cast<std::size_t>(end - first));
  for (Index i = first; i < end; ++i) {
    part.list.push_back(all[i]);
    part.list.back().row -= row;
  }
  return part;
}

template <class T>
PoolVector<T> slice(const PoolVector<T>& all, Index first, Index count) {
  return {all.begin() + first, all.begin() + first + count};
}

Tokens tokens_from(const Tokens& all, Index first, Index end, Index rows_before) {
  Tokens part;
  part.segments = segments_from(all.segments, first, end, rows_before);
  const Index row = all.segments[first].row;
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

Batch part_of(const Batch& batch, Index first, Index end, RowsBefore before) {
  Batch part;
  part.context = tokens_from(batch.context, first, end, before.context);
  part.input = tokens_from(batch.input, first, end, before.input);
  part.labels = labels_from(batch.labels, batch.input.segments[first].row, part.input.rows());
  part.examples = slice(batch.examples, first, end - first);
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
    parts.push_back(part_of(batch, first, end, before));
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
