#include "core/ops/attention/tile_weights.hpp"

#include "core/product/broadcast_product.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

void AttentionDropout::draw(const DropoutAddress& at, Index columns, Index keys) {
  const auto salt = static_cast<std::uint32_t>(at.head) + 1;
  const auto query_step = static_cast<std::uint32_t>(at.query_step);
  const auto key_step = static_cast<std::uint32_t>(at.key_step);
  for (Index word = 0; active() && word * keep_lanes < columns; ++word) {
    const auto query = static_cast<std::uint32_t>(at.query_row + word * keep_lanes * at.query_step);
    auto position = static_cast<std::uint32_t>(at.position);
    for (Index j = 0; j < keys;) {
      const std::uint32_t block = position / 8;
      const auto kept = draw_keep_columns(dropout_, block, query, query_step, salt);
      for (; j < keys && position / 8 == block; ++j, position += key_step) {
        kept_[static_cast<std::size_t>(j * key_words + word)] = kept[position % 8];
      }
    }
  }
}

void TopScores::start(Index count, Index queries) {
  count_ = count;
  heaps_.assign(static_cast<std::size_t>(count * queries),
                {.score = minus_infinity, .key = std::numeric_limits<Scalar>::infinity()});
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
  leasts.fill(minus_infinity);
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
      xsimd::select(keeps, score, Lanes(minus_infinity)).store_unaligned(at);
    }
  }
}

ValueBias::ValueBias(const Tensor& values) {
  if (values.shape().rank() == 0) {
    return;
  }
  buckets = values.dim(0);
  step = whole_vectors(buckets);
  const Index width = values.dim(1);
  rows = Tensor::zeros({buckets, whole_vectors(width)});
  columns = Tensor::zeros({width, step});
  for (Index b = 0; b < buckets; ++b) {
    std::copy_n(values.row(b), width, rows.row(b));
    for (Index c = 0; c < width; ++c) {
      columns.row(c)[b] = values.row(b)[c];
    }
  }
  mass = Tensor::empty({tile_queries, step});
  gradients = Tensor::empty({tile_queries, step});
}

void ValueBias::take_gradients(const Scalar* dy, Index dy_stride, Index queries) {
  broadcast_product(queries, columns.dim(0), step, {dy, dy_stride, 1}, columns.data(), step, {},
                    gradients.data(), step);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
