#include "train/shards.hpp"

#include <algorithm>

namespace tapehead {

namespace {

Segments segments_from(const Segments& all, Index first, Index end, Index rows_before) {
  const Index row = all[first].row;
  Segments part;
  part.first_row = rows_before + row;
  part.list.reserve(static_cast<std::size_t>(end - first));
  for (Index i = first; i < end; ++i) {
    part.list.push_back(
        {.row = all[i].row - row, .rows = all[i].rows, .position = all[i].position});
  }
  return part;
}

template <class T>
PoolVector<T> slice(const PoolVector<T>& all, Index first, Index count) {
  return {all.begin() + first, all.begin() + first + count};
}

Batch part_of(const Batch& batch, Index first, Index end, RowsBefore before) {
  Batch part;
  part.source_segments = segments_from(batch.source_segments, first, end, before.source);
  part.target_segments = segments_from(batch.target_segments, first, end, before.target);
  const Index source_row = batch.source_segments[first].row;
  const Index target_row = batch.target_segments[first].row;
  part.source = slice(batch.source, source_row, row_count(part.source_segments));
  part.target_input = slice(batch.target_input, target_row, row_count(part.target_segments));
  part.target_output = slice(batch.target_output, target_row, row_count(part.target_segments));
  part.examples = slice(batch.examples, first, end - first);
  return part;
}

}  // namespace

PoolVector<Batch> cut_into_shards(const Batch& batch, Index shards, RowsBefore before) {
  PoolVector<Batch> parts;
  parts.reserve(static_cast<std::size_t>(shards));
  const auto rows_to = [&batch](Index sequence) {
    const Segment& source = batch.source_segments[sequence];
    const Segment& target = batch.target_segments[sequence];
    return source.row + source.rows + target.row + target.rows;
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

PoolVector<Batch> cut_into_pieces(const Batch& shard, Index piece_rows) {
  const Index rows = row_count(shard.source_segments) + row_count(shard.target_segments);
  const Index pieces = std::max<Index>(1, (rows + piece_rows / 2) / piece_rows);
  return cut_into_shards(
      shard, pieces,
      {.source = shard.source_segments.first_row, .target = shard.target_segments.first_row});
}

}  // namespace tapehead
