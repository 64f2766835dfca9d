// How attention of one head over one sequence is divided: queries into tiles of a few panels, keys
// into blocks. The working set stays in the caches, whatever the length of the sequence.
#pragma once

#include "core/kernel/row_kernels.hpp"
#include "core/memory/prefetch.hpp"
#include "core/product/broadcast_product.hpp"
#include "core/sequence/pattern.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

constexpr Index panel_queries = 2 * lane_count;
constexpr Index tile_panels = 8;
constexpr Index tile_queries = tile_panels * panel_queries;
constexpr Index tile_step = tile_queries + lane_count;
constexpr Index block_keys = 64;

// Key rows first ... end - 1.
struct KeyRange {
  Index first;
  Index end;

  Index count() const { return std::max<Index>(0, end - first); }
  KeyRange within(const KeyRange& other) const {
    return {std::max(first, other.first), std::min(end, other.end)};
  }
};

// Some queries in panels, and the keys that each panel may attend to.
struct Tile {
  Index first;    // query row
  Index queries;  // without the zeros that fill the rest of `columns`
  Index columns;  // `queries`, rounded up to whole vectors
  std::array<KeyRange, tile_panels> keys;

  // The distance between rows of a tile's arrays. A full tile has one vector more than its columns:
  // at distances of a power of two, the rows would share a few sets of the first-level cache.
  Index step() const { return columns == tile_queries ? tile_step : columns; }
  Index panels() const { return (columns + panel_queries - 1) / panel_queries; }
  Index panel_columns(Index panel) const {
    return std::min(panel_queries, columns - panel * panel_queries);
  }
  Index queries_in(Index panel) const {
    return std::min(panel_queries, queries - panel * panel_queries);
  }
  const KeyRange& keys_of(Index panel) const { return keys[static_cast<std::size_t>(panel)]; }
  // The range of a panel never ends before the range of the panel before.
  KeyRange all_keys() const { return {keys[0].first, keys_of(panels() - 1).end}; }
};

// Calls visit(keys, first query, queries) for each run of keys in the block to which the same
// queries of the tile attend, rounded to whole panels. They are neighbours, because ranges move on
// with the queries.
template <class Visitor>
void for_each_run(const Tile& tile, const KeyRange& block, const Visitor& visit) {
  for (Index first = block.first; first < block.end;) {
    Index begin = tile_panels;
    Index end = 0;
    Index until = block.end;
    for (Index panel = 0; panel < tile.panels(); ++panel) {
      const KeyRange& keys = tile.keys_of(panel);
      if (keys.first <= first && first < keys.end) {
        begin = std::min(begin, panel);
        end = panel + 1;
        until = std::min(until, keys.end);
      } else if (first < keys.first) {
        until = std::min(until, keys.first);
      }
    }
    if (begin < end) {
      const Index query = begin * panel_queries;
      visit(KeyRange{first, until}, query, std::min(end * panel_queries, tile.queries) - query);
    }
    first = until;
  }
}

constexpr Scalar minus_infinity = -std::numeric_limits<Scalar>::infinity();

struct HeadRows : StoredRows {
  bool apart = false;  // not adjacent in memory: copy them together if used often
};

// Marks rows to be copied if they are the right-hand side of many products (`rows` products). Rows
// whose distance is nearly a power of two share a few sets of the first-level cache. Without copies
// a step of width 1,024 and length 500 takes 2.6 % more (AVX2).
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

// Rows of the matrix itself if the width allows it, otherwise zero-padded copies in `room`.
inline Panel panel_of(const HeadRows& from, Index first, Index count, Scalar* room) {
  if (from.columns % lane_count == 0 && !from.apart) {
    return {from.row(first), from.stride};
  }
  const Index step = whole_vectors(from.columns);
  for (Index i = 0; i < count; ++i) {
    std::copy_n(from.row(first + i), from.columns, room + i * step);
    std::fill(room + i * step + from.columns, room + (i + 1) * step, Scalar{0});
  }
  return {room, step};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
