#include "core/product/broadcast_product.hpp"

#include "core/kernel/vector_functions.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr Index widest = product_columns / lane_count;

// The number of rows processed at a time. Each sum has its own register: with 16 registers 6 x 2
// sums, 2 vectors of b and one of a; with 32 registers 6 x 4 sums, 4 vectors of b and one of a.
// With 32 registers and fewer columns, 8 rows fit if the rows of a are adjacent, in half a cache
// line. Rows that are apart would need 8 addresses.
constexpr Index tile_rows(bool adjacent, Index vectors) {
  return adjacent && sizeof(Lanes) == 64 && vectors < widest ? 8 : 6;
}

// The depth between two calls of the prefetcher: the same work for any width of a tile.
constexpr Index prefetch_depth(Index vectors) { return 64 / vectors; }

// Rows of the result that the next tile writes, with the stride of the current tile.
struct NextRows {
  const Scalar* data = nullptr;
  Index count = 0;
};

// `prefetcher`: a Prefetcher*, or nullptr itself for no prefetching. A prefetcher also prefetches
// `next`, spread over the depth: its rows are more than a core can wait for at once.
template <bool Adjacent, Index Rows, Index Vectors, bool Started, class Pointer>
[[gnu::always_inline]] inline void tile_product(Index depth, Broadcast a, const Scalar* b,
                                                Index b_step, Start start, Scalar* out,
                                                Index out_step, Pointer prefetcher, NextRows next) {
  std::array<std::array<Lanes, Vectors>, Rows> sums;
#pragma GCC unroll 8
  for (Index i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (Index v = 0; v < Vectors; ++v) {
      sums[i][v] = Started ? Lanes::load_unaligned(start.data + i * start.step + v * lane_count)
                           : Lanes(Scalar{0});
    }
  }
  const auto add = [&](Index begin, Index end) __attribute__((always_inline)) {
    for (Index r = begin; r < end; ++r) {
      std::array<Lanes, Vectors> right;
#pragma GCC unroll 4
      for (Index v = 0; v < Vectors; ++v) {
        right[v] = Lanes::load_unaligned(b + r * b_step + v * lane_count);
      }
#pragma GCC unroll 8
      for (Index i = 0; i < Rows; ++i) {
        const Lanes left(a.data[i * (Adjacent ? 1 : a.row_step) + r * a.depth_step]);
#pragma GCC unroll 4
        for (Index v = 0; v < Vectors; ++v) {
          sums[i][v] = fused_multiply_add(left, right[v], sums[i][v]);
        }
      }
    }
  };
  if constexpr (std::is_null_pointer_v<Pointer>) {
    add(0, depth);
  } else {
    constexpr Index step = prefetch_depth(Vectors);
    const Index rows_at_once = (next.count * step + depth - 1) / std::max<Index>(1, depth);
    Index fetched = 0;
    for (Index first = 0; first < depth; first += step) {
      prefetcher->some();
      for (const Index end = std::min(next.count, fetched + rows_at_once); fetched < end;
           ++fetched) {
        prefetch_to_write(next.data + fetched * out_step, Vectors * lane_count);
      }
      add(first, std::min(depth, first + step));
    }
  }
#pragma GCC unroll 8
  for (Index i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (Index v = 0; v < Vectors; ++v) {
      sums[i][v].store_unaligned(out + i * out_step + v * lane_count);
    }
  }
}

// The rows after the last whole tile: `Rows` or fewer.
template <bool Adjacent, Index Rows, Index Vectors, bool Started, class Pointer>
[[gnu::always_inline]] inline void rest_product(Index rows, Index depth, Broadcast a,
                                                const Scalar* b, Index b_step, Start start,
                                                Scalar* out, Index out_step, Pointer prefetcher) {
  if constexpr (Rows > 0) {
    if (rows == Rows) {
      tile_product<Adjacent, Rows, Vectors, Started>(depth, a, b, b_step, start, out, out_step,
                                                     prefetcher, NextRows{});
    } else {
      rest_product<Adjacent, Rows - 1, Vectors, Started>(rows, depth, a, b, b_step, start, out,
                                                         out_step, prefetcher);
    }
  }
}

template <bool Adjacent, Index Vectors, bool Started, class Pointer>
void column_product(Index rows, Index depth, const Broadcast& all, const Scalar* b, Index b_step,
                    Start start, Scalar* out, Index out_step, Pointer prefetcher) {
  constexpr Index tile = tile_rows(Adjacent, Vectors);
  Broadcast a = all;
  while (rows >= tile) {
    Scalar* const below = out + tile * out_step;
    rows -= tile;
    NextRows next{below, std::min(rows, tile)};
    if constexpr (!std::is_null_pointer_v<Pointer>) {
      if (rows == 0 && prefetcher->next_result != nullptr) {
        next = {prefetcher->next_result, tile};
      }
    }
    tile_product<Adjacent, tile, Vectors, Started>(depth, a, b, b_step, start, out, out_step,
                                                   prefetcher, next);
    start = start.from(tile, 0);
    a.data += tile * a.row_step;
    out = below;
  }
  rest_product<Adjacent, tile - 1, Vectors, Started>(rows, depth, a, b, b_step, start, out,
                                                     out_step, prefetcher);
}

template <bool Adjacent, bool Started, class Pointer>
void product(Index rows, Index depth, Index columns, const Broadcast& a, const Scalar* b,
             Index b_step, Start start, Scalar* out, Index out_step, Pointer prefetcher) {
  Index column = 0;
  const auto some = [&]<Index vectors>(std::integral_constant<Index, vectors>) {
    for (; column + vectors * lane_count <= columns; column += vectors * lane_count) {
      column_product<Adjacent, vectors, Started>(rows, depth, a, b + column, b_step,
                                                 start.from(0, column), out + column, out_step,
                                                 prefetcher);
    }
  };
  if constexpr (widest > 2) {
    some(std::integral_constant<Index, widest>{});
  }
  some(std::integral_constant<Index, 2>{});
  some(std::integral_constant<Index, 1>{});
}

}  // namespace

void broadcast_product(Index rows, Index depth, Index columns, const Broadcast& a, const Scalar* b,
                       Index b_step, Start start, Scalar* out, Index out_step,
                       Prefetcher* prefetcher) {
  const bool started = start.data != nullptr;
  const auto run = [&]<class Pointer>(Pointer ahead) {
    const auto adjacent = started ? product<true, true, Pointer> : product<true, false, Pointer>;
    const auto apart = started ? product<false, true, Pointer> : product<false, false, Pointer>;
    const auto chosen = a.row_step == 1 ? adjacent : apart;
    chosen(rows, depth, columns, a, b, b_step, start, out, out_step, ahead);
  };
  prefetcher == nullptr ? run(nullptr) : run(prefetcher);
}

Index prefetches(Index rows, Index depth, Index columns, const Broadcast& a) {
  const auto pieces = [](Index n, Index size) { return (n + size - 1) / size; };
  Index calls = 0;
  Index left = pieces(columns, lane_count);
  for (Index vectors = widest; left > 0; vectors /= 2) {
    calls += left / vectors * pieces(rows, tile_rows(a.row_step == 1, vectors)) *
             pieces(depth, prefetch_depth(vectors));
    left %= vectors;
  }
  return calls;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
