#include "core/product/transpose.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/kernel/row_kernels.hpp"
#include "core/memory/prefetch.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

using Square = std::array<Lanes, Lanes::size>;  // as many rows as columns

// Exchanges runs of `Run` numbers between a and b: a keeps its even runs, and its odd runs are
// replaced by b's even runs; b keeps its odd runs, and its even runs are replaced by a's odd runs.
template <std::size_t Run, std::size_t... I>
[[gnu::always_inline]] inline void exchange_runs(Lanes& a, Lanes& b,
                                                 std::index_sequence<I...> /*lanes*/) {
  constexpr auto even = [](std::size_t i) { return (i & Run) == 0; };
  const auto first = a.data;
  const auto second = b.data;
  a = Lanes(__builtin_shufflevector(first, second, (even(I) ? I : Lanes::size + I - Run)...));
  b = Lanes(__builtin_shufflevector(first, second, (even(I) ? I + Run : Lanes::size + I)...));
}

// Swaps the two off-diagonal quarters of every square of 2 `Run` rows, then those of its quarters,
// and so on.
template <std::size_t Run>
[[gnu::always_inline]] inline void transpose(Square& block) {
  if constexpr (Run > 0) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Lanes::size; ++i) {
      if ((i & Run) == 0) {
        exchange_runs<Run>(block[i], block[i + Run], std::make_index_sequence<Lanes::size>());
      }
    }
    transpose<Run / 2>(block);
  }
}

template <bool Whole>
void copy_block(Index rows, Index columns, const Scalar* from, Index step, const Lanes& factor,
                Scalar* to, Index to_step) {
  Square block;
#pragma GCC unroll 16
  for (Index r = 0; r < lane_count; ++r) {
    Lanes& row = block[static_cast<std::size_t>(r)];
    if (Whole || (r < rows && columns == lane_count)) {
      row = Lanes::load_unaligned(from + r * step);
    } else {
      row = r < rows ? load_some(from + r * step, columns) : Lanes(Scalar{0});
    }
  }
  transpose<Lanes::size / 2>(block);
#pragma GCC unroll 16
  for (Index c = 0; c < lane_count; ++c) {
    if (Whole || c < columns) {
      (factor * block[static_cast<std::size_t>(c)]).store_unaligned(to + c * to_step);
    }
  }
}

}  // namespace

void copy_transposed(Index rows, Index columns, const Scalar* from, Index step, Scalar factor,
                     Scalar* to, Index to_step) {
  const Lanes factors(factor);
  // The block `ahead` columns further on is prefetched. After the last column it is one of the rows
  // below; after the last rows it is often what is copied next.
  const Index ahead = std::min(4 * lane_count, columns);
  // As many rows as a vector has numbers, from end to end: so few streams that a core can prefetch
  // them itself.
  for (Index r = 0; r < rows; r += lane_count) {
    for (Index c = 0; c < columns; c += lane_count) {
      const Scalar* at = from + r * step + c;
      const Index next = c + ahead < columns ? ahead : lane_count * step + ahead - columns;
      for (Index row = 0; row < lane_count; ++row) {
        prefetch_to_read(at + next + row * step, 1);
      }
      const Index height = std::min(lane_count, rows - r);
      const Index width = std::min(lane_count, columns - c);
      const auto copy =
          height == lane_count && width == lane_count ? copy_block<true> : copy_block<false>;
      copy(height, width, at, step, factors, to + c * to_step + r, to_step);
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
