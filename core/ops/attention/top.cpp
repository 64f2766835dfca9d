#include "core/ops/attention/top.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();

}  // namespace

void TopScores::start(Index count, Index queries) {
  count_ = count;
  heaps_.assign(static_cast<std::size_t>(count * queries), {.score = -infinity, .key = infinity});
}

void TopScores::add(const PanelNumbers& scores, Index query, Index key) {
  for (Index q = 0; q < scores.queries; ++q) {
    Entry* const heap = heaps_.data() + (query + q) * count_;
    for (Index j = 0; j < scores.keys; ++j) {
      const Scalar score = scores.numbers[j * scores.step + q];
      if (score > heap->score) {
        std::pop_heap(heap, heap + count_, better);
        heap[count_ - 1] = {.score = score, .key = static_cast<Scalar>(key + j)};
        std::push_heap(heap, heap + count_, better);
      }
    }
  }
}

void TopScores::finish(Index first_query, const KeptScores& kept) const {
  for (std::size_t at = 0; at < heaps_.size(); at += static_cast<std::size_t>(count_)) {
    kept.least[first_query] = heaps_[at].score;
    kept.last[first_query] = heaps_[at].key;
    ++first_query;
  }
}

void keep_top(const PanelNumbers& scores, Index key, const KeptScores& kept) {
  std::array<Scalar, panel_queries> leasts;
  std::array<Scalar, panel_queries> lasts{};
  leasts.fill(-infinity);
  std::copy_n(kept.least, scores.queries, leasts.data());
  std::copy_n(kept.last, scores.queries, lasts.data());
  for (Index first = 0; first < scores.columns; first += lane_count) {
    const Lanes least = Lanes::load_unaligned(leasts.data() + first);
    const Lanes last = Lanes::load_unaligned(lasts.data() + first);
    for (Index j = 0; j < scores.keys; ++j) {
      Scalar* at = scores.numbers + j * scores.step + first;
      const Lanes score = Lanes::load_unaligned(at);
      const auto keeps =
          score > least || (score == least && Lanes(static_cast<Scalar>(key + j)) <= last);
      xsimd::select(keeps, score, Lanes(-infinity)).store_unaligned(at);
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
