#include "core/ops/attention/single.hpp"

#include "core/kernel/row_kernels.hpp"
#include "core/kernel/vector_functions.hpp"
#include "core/memory/prefetch.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The only query of a segment, and the keys and values that it attends to: one range of rows for
// all heads. Rows begin with the columns of head 0.
struct SingleQuery {
  const AttentionProblem& problem;
  const Segment& segment;
  HeadRows query;
  HeadRows key;
  HeadRows value;
  Index distance;  // of the first key
};

SingleQuery single_query(const AttentionProblem& problem, Index segment) {
  const HeadProblem first = problem.at(segment, 0);
  const PositionRange range = first.ranges.of(first.query_position);
  const Index rows = first.key.rows;
  const Index begin = std::clamp<Index>(range.first - first.key_position, 0, rows);
  const Index end = std::clamp<Index>(range.last + 1 - first.key_position, begin, rows);
  const RowSteps seen{.first = begin, .rows = end - begin};
  return {.problem = problem,
          .segment = problem.queries[segment],
          .query = first.query,
          .key = rows_at(first.key, seen),
          .value = rows_at(first.value, seen),
          .distance = first.key_position + begin - first.query_position};
}

void prefetch_row(const SingleQuery& query, Index j) {
  const AttentionProblem& problem = query.problem;
  const Index others = problem.options.key_heads() - 1;
  prefetch(query.key.row(j), others * problem.key.step + problem.options.d_key);
  prefetch(query.value.row(j), others * problem.value.step + problem.options.d_value);
}

// s[h][j] = scale k_jh · q_h, and -inf after the last key. The heads of a key are adjacent, so the
// outer loop is over keys. Most of the time goes into fetching keys and values.
void scores(const SingleQuery& single, const SingleQuery& next, Scalar* s) {
  const AttentionProblem& problem = single.problem;
  const Index heads = problem.options.heads;
  const Index heads_of_key = heads / problem.options.key_heads();
  const Scalar scale = problem.options.score_factor();
  const Index padded = whole_vectors(single.key.rows);
  for (Index j = 0; j < single.key.rows; ++j) {
    if (j < next.key.rows) {
      prefetch_row(next, j);
    }
    const Scalar* key = single.key.row(j);
    for (Index h = 0; h < heads; key += problem.key.step) {
      for (Index last = h + heads_of_key; h < last; ++h) {
        const Scalar* query = single.query.data + h * problem.query.step;
        s[h * padded + j] = scale * dot_row(single.key.width, query, key);
      }
    }
  }
  for (Index h = 0; h < heads; ++h) {
    std::fill(s + h * padded + single.key.rows, s + (h + 1) * padded, minus_infinity);
  }
}

// s[h][j] += the head's bias for the distance of key j. Buckets are computed for some keys at a
// time.
void add_bias(const SingleQuery& single, Scalar* s) {
  const BiasValues& biases = single.problem.bias;
  const Index padded = whole_vectors(single.key.rows);
  const bool bucketed = biases.buckets.count() > 0;
  std::array<std::int32_t, 128> buckets;
  const auto most = static_cast<Index>(buckets.size());
  for (Index first = 0; first < single.key.rows; first += most) {
    const Index keys = std::min(most, single.key.rows - first);
    if (bucketed) {
      biases.buckets.fill(single.distance + first,
                          std::span(buckets).first(static_cast<std::size_t>(keys)));
    }
    for (Index h = 0; h < single.problem.options.heads; ++h) {
      const HeadBias bias = biases.head(single.segment, h);
      Scalar* scores = s + h * padded + first;
      for (Index j = 0; j < keys; ++j) {
        const auto bucket = bucketed ? buckets[static_cast<std::size_t>(j)] : 0;
        scores[j] -= bias.slope * static_cast<Scalar>(std::abs(single.distance + first + j));
        scores[j] += bias.by_head == nullptr ? Scalar{0} : bias.by_head[bucket];
        scores[j] += bias.by_query == nullptr ? Scalar{0} : bias.by_query[bucket];
      }
    }
  }
}

// y = Σ_j weights[j] v_j / total for one head, `Vectors` vectors of it from `column` on.
template <Index Vectors>
void weighted_values(const HeadRows& values, Index column, const Scalar* weights,
                     const Lanes& inverse, Scalar* y) {
  std::array<Lanes, Vectors> sums;
  sums.fill(Lanes(Scalar{0}));
  const Scalar* row = values.data + column;
  for (Index j = 0; j < values.rows; ++j, row += values.stride) {
    const Lanes weight(weights[j]);
#pragma GCC unroll 4
    for (Index v = 0; v < Vectors; ++v) {
      sums[v] = fused_multiply_add(weight, Lanes::load_unaligned(row + v * lane_count), sums[v]);
    }
  }
#pragma GCC unroll 4
  for (Index v = 0; v < Vectors; ++v) {
    (inverse * sums[v]).store_unaligned(y + column + v * lane_count);
  }
}

void head_output(const HeadRows& values, const Scalar* weights, Scalar total, Scalar* y) {
  const Lanes inverse(1 / total);
  constexpr Index most = 4;
  Index column = 0;
  for (; column + most * lane_count <= values.width; column += most * lane_count) {
    weighted_values<most>(values, column, weights, inverse, y);
  }
  for (; column + lane_count <= values.width; column += lane_count) {
    weighted_values<1>(values, column, weights, inverse, y);
  }
  for (; column < values.width; ++column) {
    Scalar sum = 0;
    for (Index j = 0; j < values.rows; ++j) {
      sum += weights[j] * values.row(j)[column];
    }
    y[column] = sum / total;
  }
}

}  // namespace

void attend_single(const AttentionProblem& problem, Index segment, Scalar* room, Scalar* y,
                   Scalar* log_sums, Index log_sums_stride) {
  const SingleQuery single = single_query(problem, segment);
  scores(single, single_query(problem, std::min(segment + 1, problem.queries.count() - 1)), room);
  if (problem.bias.any()) {
    add_bias(single, room);
  }
  const Index padded = whole_vectors(single.key.rows);
  for (Index h = 0; h < problem.options.heads; ++h, y += single.value.width) {
    Scalar* weights = room + h * padded;
    if (padded == 0) {
      std::fill_n(y, single.value.width, Scalar{0});
      log_sums[h * log_sums_stride] = minus_infinity;
      continue;
    }
    // weights[j] = exp(s_j - max s), in place
    const Scalar largest = max_row(padded, weights);
    map_row(
        padded, weights, [m = Lanes(largest)](const Lanes& s) { return exp_of_small(s - m); },
        weights);
    const Scalar total = sum_row(padded, [](const Lanes& weight) { return weight; }, weights);
    HeadRows values = single.value;
    values.data += problem.options.key_head(h) * problem.value.step;
    head_output(values, weights, total, y);
    log_sums[h * log_sums_stride] = largest + std::log(total);
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
