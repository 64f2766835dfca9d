#include "core/ops/attention_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

constexpr Scalar minus_infinity = -std::numeric_limits<Scalar>::infinity();

Index whole_vectors(Index width) { return (width + lane_count - 1) / lane_count * lane_count; }

// Rows of whole vectors: the matrix' own where the width allows it, else copies in `room` with
// zeros behind.
Panel panel_of(const HeadRows& from, Index first, Index count, Scalar* room) {
  if (from.width % lane_count == 0) {
    return {from.row(first), from.stride};
  }
  const Index step = whole_vectors(from.width);
  for (Index i = 0; i < count; ++i) {
    std::copy_n(from.row(first + i), from.width, room + i * step);
    std::fill(room + i * step + from.width, room + (i + 1) * step, Scalar{0});
  }
  return {room, step};
}

// columns[c][q] = factor rows[q][c], with zeros for the queries that a tile lacks.
void pack_columns(const HeadRows& from, Index first, Index count, Index columns, Scalar factor,
                  Scalar* to) {
  for (Index q = 0; q < count; ++q) {
    const Scalar* row = from.row(first + q);
    for (Index c = 0; c < from.width; ++c) {
      to[c * columns + q] = factor * row[c];
    }
  }
  for (Index c = 0; c < from.width; ++c) {
    std::fill(to + c * columns + count, to + (c + 1) * columns, Scalar{0});
  }
}

}  // namespace

AttentionKernel::AttentionKernel(Index most_keys, Index d_key, Index d_value,
                                 const Dropout& dropout)
    : d_key_(d_key), d_value_(d_value), dropout_(dropout), factors_of_bits_(dropout) {
  const Index key_step = whole_vectors(d_key);
  const Index value_step = whole_vectors(d_value);
  const Index widest = std::max(key_step, value_step);
  const Index most_rows = std::max(most_keys, tile_queries);
  memory_ = Tensor::empty({most_keys * (key_step + value_step) + 3 * most_keys * tile_queries +
                           2 * widest * tile_queries + most_rows * widest + tile_queries});
  Scalar* next = memory_.data();
  const auto take = [&next](Index numbers) { return std::exchange(next, next + numbers); };
  key_room_ = take(most_keys * key_step);
  value_room_ = take(most_keys * value_step);
  scores_ = take(most_keys * tile_queries);
  gradients_ = take(most_keys * tile_queries);
  factors_ = take(most_keys * tile_queries);
  columns_ = take(widest * tile_queries);
  row_room_ = take(widest * tile_queries);
  product_ = take(most_rows * widest);
  inverse_ = take(tile_queries);
}

AttentionKernel::Tile AttentionKernel::tile_at(const HeadProblem& problem,
                                               Index first_query) const {
  Tile tile{};
  tile.first_query = first_query;
  tile.queries = std::min(tile_queries, problem.query.rows - first_query);
  tile.columns = tile.queries > lane_count ? 2 * lane_count : lane_count;
  const Index position = problem.query_position + first_query;
  const Index first = problem.pattern.range(position).first - problem.key_position;
  const Index last = problem.pattern.range(position + tile.queries - 1).last - problem.key_position;
  tile.first_key = std::clamp<Index>(first, 0, problem.key.rows);
  tile.keys = std::clamp<Index>(last + 1, tile.first_key, problem.key.rows) - tile.first_key;
  return tile;
}

void AttentionKernel::take_keys(const HeadProblem& problem) {
  keys_ = panel_of(problem.key, 0, problem.key.rows, key_room_);
  values_ = panel_of(problem.value, 0, problem.value.rows, value_room_);
}

// to[i][c] (+)= Σ_r a[i row_step + r depth_step] b[r][c] for i < rows, c < width
void AttentionKernel::product(Index rows, Index depth, Index width, Broadcast a, Panel b,
                              Scalar* to, Index stride, bool accumulate) {
  if (width % lane_count == 0) {
    broadcast_product(rows, depth, width, a, b.data, b.step,
                      accumulate ? Start{to, stride} : Start{}, to, stride);
    return;
  }
  const Index step = whole_vectors(width);
  broadcast_product(rows, depth, step, a, b.data, b.step, {}, product_, step);
  for (Index i = 0; i < rows; ++i) {
    if (accumulate) {
      add_to(to + i * stride, product_ + i * step, width);
    } else {
      std::copy_n(product_ + i * step, width, to + i * stride);
    }
  }
}

// scores[j][q] = k_j · q / √d_key
void AttentionKernel::scores(const HeadProblem& problem, const Tile& tile) {
  const auto factor = static_cast<Scalar>(1 / std::sqrt(static_cast<double>(d_key_)));
  pack_columns(problem.query, tile.first_query, tile.queries, tile.columns, factor, columns_);
  broadcast_product(tile.keys, d_key_, tile.columns, {keys_.row(tile.first_key), keys_.step, 1},
                    columns_, tile.columns, {}, scores_, tile.columns);
  if (!problem.pattern.is_full()) {
    apply_pattern(problem, tile);
  }
}

// Scores of keys that a query may not attend to become -inf: those before and behind its range.
void AttentionKernel::apply_pattern(const HeadProblem& problem, const Tile& tile) {
  const Index first_key = problem.key_position + tile.first_key;
  for (Index q = 0; q < tile.queries; ++q) {
    const auto [first, last] = problem.pattern.range(problem.query_position + tile.first_query + q);
    const Index begin = std::clamp<Index>(first - first_key, 0, tile.keys);
    const Index end = std::clamp<Index>(last + 1 - first_key, begin, tile.keys);
    for (Index j = 0; j < begin; ++j) {
      scores_[j * tile.columns + q] = minus_infinity;
    }
    for (Index j = end; j < tile.keys; ++j) {
      scores_[j * tile.columns + q] = minus_infinity;
    }
  }
}

// weights[j][q] = exp(s_jq - max_j s_jq), inverse[q] = 1 / Σ_j of them, log_sums[q] = log Σ_j
// exp(s_jq).
void AttentionKernel::softmax(const Tile& tile, Scalar* log_sums) {
  for (Index first = 0; first < tile.columns; first += lane_count) {
    Lanes largest(minus_infinity);
    for (Index j = 0; j < tile.keys; ++j) {
      largest = xsimd::max(largest, Lanes::load_unaligned(scores_ + j * tile.columns + first));
    }
    const auto nothing = largest == Lanes(minus_infinity);
    const Lanes shift = xsimd::select(nothing, Lanes(Scalar{0}), largest);
    Lanes sum(Scalar{0});
    for (Index j = 0; j < tile.keys; ++j) {
      Scalar* row = scores_ + j * tile.columns + first;
      const Lanes weight = xsimd::exp(Lanes::load_unaligned(row) - shift);
      weight.store_unaligned(row);
      sum += weight;
    }
    xsimd::select(nothing, Lanes(Scalar{0}), Lanes(Scalar{1}) / sum)
        .store_unaligned(inverse_ + first);
    const Lanes log_sum = xsimd::select(nothing, Lanes(minus_infinity), shift + xsimd::log(sum));
    const Index real = std::min(lane_count, tile.queries - first);
    if (real > 0) {
      store_some(log_sums + tile.first_query + first, real, log_sum);
    }
  }
}

// weights[j][q] = exp(s_jq - log_sums[q])
void AttentionKernel::rebuild_weights(const Tile& tile, const Scalar* log_sums) {
  for (Index first = 0; first < tile.columns; first += lane_count) {
    const Index real = std::clamp<Index>(tile.queries - first, 0, lane_count);
    const Lanes log_sum = load_some(log_sums + tile.first_query + first, real);
    const Lanes shift = xsimd::select(log_sum == Lanes(minus_infinity), Lanes(Scalar{0}), log_sum);
    for (Index j = 0; j < tile.keys; ++j) {
      Scalar* row = scores_ + j * tile.columns + first;
      xsimd::exp(Lanes::load_unaligned(row) - shift).store_unaligned(row);
    }
  }
}

// factors[j][q] = 0 or 1 / (1 - probability), drawn at (query's row in the step, head, key's
// position).
void AttentionKernel::draw_dropout(const HeadProblem& problem, const Tile& tile) {
  std::array<std::uint32_t, keep_lanes> blocks{};
  std::array<std::uint32_t, keep_lanes> rows{};
  std::array<std::uint8_t, keep_lanes> keep{};
  std::array<Scalar, keep_lanes> factors{};
  const auto salt = static_cast<std::uint32_t>(problem.head) + 1;
  const Index first_position = problem.key_position + tile.first_key;
  const Index end_position = first_position + tile.keys;
  for (Index first = 0; first < tile.columns; first += keep_lanes) {
    const Index lanes = std::min(keep_lanes, tile.columns - first);
    for (Index lane = 0; lane < keep_lanes; ++lane) {
      rows[static_cast<std::size_t>(lane)] =
          static_cast<std::uint32_t>(problem.query_row + tile.first_query + first + lane);
    }
    for (Index block = first_position >> 3; block << 3 < end_position; ++block) {
      blocks.fill(static_cast<std::uint32_t>(block));
      draw_keep_bits(dropout_, blocks.data(), rows.data(), salt, keep.data());
      const auto of_key = transpose_keep_bits(keep.data());
      const Index from = std::max(block << 3, first_position);
      const Index to = std::min((block << 3) + 8, end_position);
      for (Index position = from; position < to; ++position) {
        const std::uint16_t bits = of_key[static_cast<std::size_t>(position & 7)];
        const std::array<std::uint8_t, 2> bytes{static_cast<std::uint8_t>(bits),
                                                static_cast<std::uint8_t>(bits >> 8)};
        factors_of_bits_.expand(bytes.data(), 2, factors.data());
        Scalar* row = factors_ + (position - first_position) * tile.columns + first;
        for (Index lane = 0; lane < lanes; lane += lane_count) {
          Lanes::load_unaligned(factors.data() + lane).store_unaligned(row + lane);
        }
      }
    }
  }
}

void AttentionKernel::forward(const HeadProblem& problem, Scalar* out, Index out_stride,
                              Scalar* log_sums) {
  take_keys(problem);
  for (Index first = 0; first < problem.query.rows; first += tile_queries) {
    const Tile tile = tile_at(problem, first);
    scores(problem, tile);
    softmax(tile, log_sums);
    if (dropout_.active()) {
      draw_dropout(problem, tile);
      map_row(
          tile.keys * tile.columns, scores_, [](const Lanes& p, const Lanes& f) { return p * f; },
          scores_, factors_);
    }
    // y_q = Σ_j weights[j][q] v_j / Σ_j
    Scalar* rows = out + first * out_stride;
    product(tile.queries, tile.keys, d_value_, {scores_, 1, tile.columns},
            values_.from(tile.first_key), rows, out_stride, false);
    for (Index q = 0; q < tile.queries; ++q) {
      Scalar* row = rows + q * out_stride;
      map_row(d_value_, row, [f = Lanes(inverse_[q])](const Lanes& a) { return f * a; }, row);
    }
  }
}

// With weights p and dp_jq = (v_j · dy_q) factor_jq: ds_jq = p_jq (dp_jq - Σ_i p_iq dp_iq) /
// √d_key. Afterwards scores_ holds the weights after dropout and gradients_ holds ds.
void AttentionKernel::score_gradients(const HeadProblem& problem, const Tile& tile,
                                      const HeadRows& doutput) {
  pack_columns(doutput, tile.first_query, tile.queries, tile.columns, 1, columns_);
  broadcast_product(tile.keys, d_value_, tile.columns,
                    {values_.row(tile.first_key), values_.step, 1}, columns_, tile.columns, {},
                    gradients_, tile.columns);
  const bool dropped = dropout_.active();
  if (dropped) {
    draw_dropout(problem, tile);
    map_row(
        tile.keys * tile.columns, gradients_, [](const Lanes& d, const Lanes& f) { return d * f; },
        gradients_, factors_);
  }
  const Lanes factor(static_cast<Scalar>(1 / std::sqrt(static_cast<double>(d_key_))));
  for (Index first = 0; first < tile.columns; first += lane_count) {
    Lanes sum(Scalar{0});
    for (Index j = 0; j < tile.keys; ++j) {
      const Index at = j * tile.columns + first;
      sum = xsimd::fma(Lanes::load_unaligned(scores_ + at), Lanes::load_unaligned(gradients_ + at),
                       sum);
    }
    for (Index j = 0; j < tile.keys; ++j) {
      const Index at = j * tile.columns + first;
      const Lanes weight = factor * Lanes::load_unaligned(scores_ + at);
      (weight * (Lanes::load_unaligned(gradients_ + at) - sum)).store_unaligned(gradients_ + at);
    }
  }
  if (dropped) {
    map_row(
        tile.keys * tile.columns, scores_, [](const Lanes& p, const Lanes& f) { return p * f; },
        scores_, factors_);
  }
}

void AttentionKernel::backward(const HeadProblem& problem, const HeadRows& doutput,
                               const Scalar* log_sums, const Targets& targets) {
  take_keys(problem);
  for (Index first = 0; first < problem.query.rows; first += tile_queries) {
    const Tile tile = tile_at(problem, first);
    scores(problem, tile);
    rebuild_weights(tile, log_sums);
    score_gradients(problem, tile, doutput);
    if (targets.dquery != nullptr) {  // dq_q = Σ_j ds_jq k_j
      product(tile.queries, tile.keys, d_key_, {gradients_, 1, tile.columns},
              keys_.from(tile.first_key), targets.dquery + first * targets.dquery_stride,
              targets.dquery_stride, targets.accumulate_query);
    }
    if (targets.dkey != nullptr) {  // dk_j += Σ_q ds_jq q_q
      product(tile.keys, tile.queries, d_key_, {gradients_, tile.columns, 1},
              panel_of(problem.query, first, tile.queries, row_room_),
              targets.dkey + tile.first_key * targets.dkey_stride, targets.dkey_stride, true);
    }
    if (targets.dvalue != nullptr) {  // dv_j += Σ_q p_jq dy_q
      product(tile.keys, tile.queries, d_value_, {scores_, tile.columns, 1},
              panel_of(doutput, first, tile.queries, row_room_),
              targets.dvalue + tile.first_key * targets.dvalue_stride, targets.dvalue_stride, true);
    }
  }
}

void AttentionKernel::weights(const HeadProblem& problem, const Scalar* log_sums, Scalar* weights) {
  take_keys(problem);
  std::fill_n(weights, problem.query.rows * problem.key.rows, Scalar{0});
  for (Index first = 0; first < problem.query.rows; first += tile_queries) {
    const Tile tile = tile_at(problem, first);
    scores(problem, tile);
    rebuild_weights(tile, log_sums);
    for (Index q = 0; q < tile.queries; ++q) {
      for (Index j = 0; j < tile.keys; ++j) {
        weights[(first + q) * problem.key.rows + tile.first_key + j] =
            scores_[j * tile.columns + q];
      }
    }
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
