// Attention by its formula (Vaswani et al. 2017, equation 1), for each head of each sequence.
#pragma once

#include "core/ops/attention/attention.hpp"
#include "tests/reference/array.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace reference {

// exp(S) / Σ exp(S) in each row over the visible keys; zeros if there are none.
inline Array attention_weights(const Array& S, const Array& seen) {
  const Array E = seen * xt::exp(S);
  return E / xt::maximum(row_sums(E), 1e-300);
}

// One head of one sequence: softmax(scale Q Kᵀ) V over the visible keys of each query.
inline Array attention(const Array& Q, const Array& K, const Array& V, const Array& seen,
                       double scale) {
  return dot(attention_weights(scale * dot(Q, transpose(K)), seen), V);
}

// v · tanh(q + k) for each query and key (Bahdanau et al. 2015, section 3.1).
inline Array additive_scores(const Array& Q, const Array& K, const Array& v) {
  const Array sums = xt::view(Q, xt::all(), xt::newaxis()) + xt::view(K, xt::newaxis());
  return xt::sum(v * xt::tanh(sums), {2});
}

// -|q - k|² for each query and key.
inline Array distance_scores(const Array& Q, const Array& K) {
  const Array differences = xt::view(Q, xt::all(), xt::newaxis()) - xt::view(K, xt::newaxis());
  return -xt::sum(xt::square(differences), {2});
}

// f(i, j) for the positions of each query and key of a sequence.
template <class Function>
Array each_pair(const Segment& queries, const Segment& keys, const Function& f) {
  Array result = xt::empty<double>({queries.rows, keys.rows});
  for (Index i = 0; i < queries.rows; ++i) {
    for (Index j = 0; j < keys.rows; ++j) {
      result(i, j) = static_cast<double>(f(queries.position + i, keys.position + j));
    }
  }
  return result;
}

// 1 where a query may attend to a key, else 0.
inline Array seen(const Pattern& pattern, const Segment& queries, const Segment& keys) {
  return each_pair(queries, keys,
                   [&](Index i, Index j) { return pattern.allowed(i, j, queries.prefix); });
}

// Keeps the visible keys with the largest scores. No two scores may be equal.
inline Array top(Index count, const Array& S, const Array& of) {
  Array result = of;
  for (std::size_t i = 0; i < S.shape(0); ++i) {
    for (std::size_t j = 0; j < S.shape(1); ++j) {
      const Array better = xt::view(of, i) * xt::cast<double>(xt::view(S, i) > S(i, j));
      result(i, j) *= xt::sum(better)() < static_cast<double>(count) ? 1 : 0;
    }
  }
  return result;
}

// f(Q, K, V, s, h) for each head h of each sequence s. Heads lie side by side; several query heads
// may share a key and value head.
template <class Formula>
Array each_head(const Array& q, const Array& k, const Array& v, const Segments& queries,
                const Segments& keys, const AttentionOptions& o, const Formula& f) {
  const auto part = [](auto& of, const Segment& rows, Index head, Index width) {
    return xt::view(of, xt::range(rows.row, rows.row + rows.rows),
                    xt::range(head * width, (head + 1) * width));
  };
  Array y = xt::zeros<double>({static_cast<Index>(q.shape(0)), o.heads * o.d_value});
  for (Index s = 0; s < queries.count(); ++s) {
    for (Index h = 0; h < o.heads && queries[s].rows > 0 && keys[s].rows > 0; ++h) {
      const Array Q = part(q, queries[s], h, o.d_key);
      const Array K = part(k, keys[s], o.key_head(h), o.d_key);
      const Array V = part(v, keys[s], o.key_head(h), o.d_value);
      part(y, queries[s], h, o.d_value) = f(Q, K, V, s, h);
    }
  }
  return y;
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::reference
