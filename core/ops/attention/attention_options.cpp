#include "core/ops/attention/attention_options.hpp"

#include "core/kernel/row_kernels.hpp"
#include "core/kernel/vector_functions.hpp"
#include "core/memory/pool.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Calls visit(query number, key number, query, key) for each pair.
template <class Visitor>
void for_each_pair(const PairPanel& pairs, const Visitor& visit) {
  PoolVector<Scalar> query(static_cast<std::size_t>(pairs.width));
  for (Index q = 0; q < pairs.query_count; ++q) {
    for (std::size_t c = 0; c < query.size(); ++c) {
      query[c] = pairs.queries[static_cast<Index>(c) * pairs.query_step + q];
    }
    for (Index j = 0; j < pairs.key_count; ++j) {
      visit(q, j, query, std::span(pairs.keys + j * pairs.key_step, query.size()));
    }
  }
}

}  // namespace

void SinglePairScore::scores(const PairPanel& pairs, Scalar* to, Index step) const {
  for_each_pair(pairs, [&](Index q, Index j, std::span<const Scalar> query, auto key) {
    to[j * step + q] = score(query, key);
  });
  for (Index j = 0; j < pairs.key_count; ++j) {
    std::fill(to + j * step + pairs.query_count, to + j * step + pairs.columns, Scalar{0});
  }
}

void SinglePairScore::gradients(const PairPanel& pairs, const Scalar* dscores, Index step,
                                const PairGradients& to) const {
  PoolVector<Scalar> room(static_cast<std::size_t>(pairs.width));  // if a gradient is not needed
  const auto row_of = [&room](Scalar* rows, Index row, Index stride) {
    return std::span(rows == nullptr ? room.data() : rows + row * stride, room.size());
  };
  for_each_pair(pairs, [&](Index q, Index j, std::span<const Scalar> query, auto key) {
    backward(dscores[j * step + q], query, key, row_of(to.queries, q, to.query_stride),
             row_of(to.keys, j, to.key_stride));
  });
}

namespace {

// tanh x and its derivative from e = exp(-2 |x|): tanh x = (1 - e) / (1 + e) with the sign of x.
// The derivative is 4 e / (1 + e)², because 1 - tanh² x cancels if tanh x is nearly 1.
struct TanhAndSlope {
  explicit TanhAndSlope(const Lanes& x)
      : e(exp_of_small(Lanes(Scalar{-2}) * xsimd::abs(x))),
        inverse(Lanes(Scalar{1}) / (Lanes(Scalar{1}) + e)),
        value(xsimd::copysign((Lanes(Scalar{1}) - e) * inverse, x)) {}

  Lanes slope() const { return Lanes(Scalar{4}) * e * inverse * inverse; }

  Lanes e;
  Lanes inverse;
  Lanes value;
};

}  // namespace

void AdditiveScore::scores(const PairPanel& pairs, Scalar* to, Index step) const {
  for (Index j = 0; j < pairs.key_count; ++j) {
    const Scalar* key = pairs.keys + j * pairs.key_step;
    for (Index first = 0; first < pairs.columns; first += lane_count) {
      Lanes sum(Scalar{0});
      for (Index c = 0; c < pairs.width; ++c) {
        const Lanes query = Lanes::load_unaligned(pairs.queries + c * pairs.query_step + first);
        const Lanes v(pairs.weights[static_cast<std::size_t>(c)]);
        sum = fused_multiply_add(v, TanhAndSlope(query + Lanes(key[c])).value, sum);
      }
      sum.store_unaligned(to + j * step + first);
    }
  }
}

// With t = tanh(q_c + k_c): dq_c = Σ_k ds v_c (1 - t²), dk_c = Σ_q ds v_c (1 - t²), dv_c = Σ ds t.
void AdditiveScore::gradients(const PairPanel& pairs, const Scalar* dscores, Index step,
                              const PairGradients& to) const {
  for (Index first = 0; first < pairs.query_count; first += lane_count) {
    const Index queries = std::min(lane_count, pairs.query_count - first);
    for (Index c = 0; c < pairs.width; ++c) {
      const Lanes query = Lanes::load_unaligned(pairs.queries + c * pairs.query_step + first);
      const Lanes v(pairs.weights[static_cast<std::size_t>(c)]);
      Lanes dquery(Scalar{0});
      Lanes dv(Scalar{0});
      for (Index j = 0; j < pairs.key_count; ++j) {
        const Scalar* from = dscores + j * step + first;
        const Lanes ds = lanes_at(from, 0, queries);
        const TanhAndSlope t(query + Lanes(pairs.keys[j * pairs.key_step + c]));
        const Lanes dsum = ds * v * t.slope();
        dquery += dsum;
        dv = fused_multiply_add(ds, t.value, dv);
        if (to.keys != nullptr) {
          to.keys[j * to.key_stride + c] += xsimd::hadd(dsum);
        }
      }
      for (Index q = 0; to.queries != nullptr && q < queries; ++q) {
        to.queries[(first + q) * to.query_stride + c] += dquery.get(static_cast<std::size_t>(q));
      }
      if (to.weights != nullptr) {
        to.weights[c] += xsimd::hadd(dv);
      }
    }
  }
}

const PairScore* AttentionOptions::score(Index head) const {
  const std::size_t at = scores.size() == 1 ? 0 : static_cast<std::size_t>(head);
  return scores.empty() ? nullptr : scores[at].get();
}

Index AttentionOptions::score_weights_before(Index head) const {
  Index count = 0;
  for (Index h = 0; h < head && !scores.empty(); ++h) {
    count += score(h) == nullptr ? 0 : score(h)->weight_count(d_key);
  }
  return count;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
