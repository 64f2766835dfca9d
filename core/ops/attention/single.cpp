#include "core/ops/attention/single.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "core/kernel/row_kernels.hpp"
#include "core/kernel/vector_functions.hpp"
#include "core/memory/prefetch.hpp"
#include "core/ops/attention/tile.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

void prefetch_row(const SingleQuery& problem, Index j) {
  prefetch(problem.key + j * problem.key_stride, problem.key_columns());
  prefetch(problem.value + j * problem.value_stride, problem.value_columns());
}

// s[h][j] = scale k_jh · q_h, and -inf after the last key. The heads of a key are adjacent, so the
// outer loop is over keys. Most of the time goes into fetching keys and values.
void scores(const SingleQuery& problem, const SingleQuery& next, Scalar* s) {
  const Index padded = whole_vectors(problem.keys);
  for (Index j = 0; j < problem.keys; ++j) {
    if (j < next.keys) {
      prefetch_row(next, j);
    }
    const Scalar* key = problem.key + j * problem.key_stride;
    for (Index h = 0; h < problem.heads; key += problem.key_step) {
      for (Index last = h + problem.heads_of_key; h < last; ++h) {
        s[h * padded + j] =
            problem.scale * dot_row(problem.d_key, problem.query + h * problem.query_step, key);
      }
    }
  }
  for (Index h = 0; h < problem.heads; ++h) {
    std::fill(s + h * padded + problem.keys, s + (h + 1) * padded, minus_infinity);
  }
}

// s[h][j] += the head's bias for the distance of key j. Buckets are computed for some keys at a
// time.
void add_bias(const SingleQuery& problem, Scalar* s) {
  const Index padded = whole_vectors(problem.keys);
  const bool bucketed = problem.bias->buckets.count() > 0;
  std::array<std::int32_t, 128> buckets;
  const auto most = static_cast<Index>(buckets.size());
  for (Index first = 0; first < problem.keys; first += most) {
    const Index keys = std::min(most, problem.keys - first);
    if (bucketed) {
      problem.bias->buckets.fill(problem.distance + first,
                                 std::span(buckets).first(static_cast<std::size_t>(keys)));
    }
    for (Index h = 0; h < problem.heads; ++h) {
      const HeadBias bias = problem.bias->head(problem.row, h);
      Scalar* scores = s + h * padded + first;
      for (Index j = 0; j < keys; ++j) {
        const auto bucket = bucketed ? buckets[static_cast<std::size_t>(j)] : 0;
        scores[j] -= bias.slope * static_cast<Scalar>(std::abs(problem.distance + first + j));
        scores[j] += bias.by_head == nullptr ? Scalar{0} : bias.by_head[bucket];
        scores[j] += bias.by_query == nullptr ? Scalar{0} : bias.by_query[bucket];
      }
    }
  }
}

// `Vectors` vectors of Σ_j weights[j] v_j / total; value: the first of those columns.
template <Index Vectors>
void weighted_values(const SingleQuery& problem, const Scalar* value, const Scalar* weights,
                     const Lanes& inverse, Scalar* y) {
  std::array<Lanes, Vectors> sums;
  sums.fill(Lanes(Scalar{0}));
  const Scalar* row = value;
  for (Index j = 0; j < problem.keys; ++j, row += problem.value_stride) {
    const Lanes weight(weights[j]);
#pragma GCC unroll 4
    for (Index v = 0; v < Vectors; ++v) {
      sums[v] = fused_multiply_add(weight, Lanes::load_unaligned(row + v * lane_count), sums[v]);
    }
  }
#pragma GCC unroll 4
  for (Index v = 0; v < Vectors; ++v) {
    (inverse * sums[v]).store_unaligned(y + v * lane_count);
  }
}

// y = Σ_j weights[j] v_j / total for one head; value: the head's first column.
void head_output(const SingleQuery& problem, const Scalar* value, const Scalar* weights,
                 Scalar total, Scalar* y) {
  const Lanes inverse(1 / total);
  const Index end = problem.d_value;
  constexpr Index most = 4;
  Index column = 0;
  for (; column + most * lane_count <= end; column += most * lane_count) {
    weighted_values<most>(problem, value + column, weights, inverse, y + column);
  }
  for (; column + lane_count <= end; column += lane_count) {
    weighted_values<1>(problem, value + column, weights, inverse, y + column);
  }
  for (; column < end; ++column) {
    Scalar sum = 0;
    for (Index j = 0; j < problem.keys; ++j) {
      sum += weights[j] * value[j * problem.value_stride + column];
    }
    y[column] = sum / total;
  }
}

}  // namespace

void attend_single(const SingleQuery& problem, const SingleQuery& next, Scalar* room, Scalar* y,
                   Scalar* log_sums, Index log_sums_stride) {
  scores(problem, next, room);
  if (problem.bias->any()) {
    add_bias(problem, room);
  }
  const Index padded = whole_vectors(problem.keys);
  for (Index h = 0; h < problem.heads; ++h) {
    Scalar* weights = room + h * padded;
    if (problem.keys == 0) {
      std::fill_n(y + h * problem.d_value, problem.d_value, Scalar{0});
      log_sums[h * log_sums_stride] = minus_infinity;
      continue;
    }
    // weights[j] = exp(s_j - max s), in place
    const Scalar largest = max_row(padded, weights);
    map_row(
        padded, weights, [m = Lanes(largest)](const Lanes& s) { return exp_of_small(s - m); },
        weights);
    const Scalar total = sum_row(padded, [](const Lanes& weight) { return weight; }, weights);
    head_output(problem, problem.value + h / problem.heads_of_key * problem.value_step, weights,
                total, y + h * problem.d_value);
    log_sums[h * log_sums_stride] = largest + std::log(total);
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
