// Vector code for one row of numbers at a time. Every element is computed in the same way wherever
// it is in a row, so a result does not depend on how rows are cut.
#pragma once

#include <xsimd/xsimd.hpp>

#include "core/scalar.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

using Lanes = xsimd::batch<Scalar>;
constexpr Index lane_count = static_cast<Index>(Lanes::size);

// `count` rounded up to whole vectors.
constexpr Index whole_vectors(Index count) {
  return (count + lane_count - 1) / lane_count * lane_count;
}

// The first `count` < lane_count numbers at `from`, then zeros.
inline Lanes load_some(const Scalar* from, Index count) {
  alignas(64) std::array<Scalar, Lanes::size> padded{};
  for (Index i = 0; i < count; ++i) {
    padded[static_cast<std::size_t>(i)] = from[i];
  }
  return Lanes::load_aligned(padded.data());
}

inline void store_some(Scalar* to, Index count, const Lanes& lanes) {
  alignas(64) std::array<Scalar, Lanes::size> padded;
  lanes.store_aligned(padded.data());
  for (Index i = 0; i < count; ++i) {
    to[i] = padded[static_cast<std::size_t>(i)];
  }
}

// `count` <= lane_count numbers from the i-th on, then zeros. Overloads: core/ops/row_parts.hpp.
inline Lanes lanes_at(const Scalar* row, Index i, Index count) {
  return count == lane_count ? Lanes::load_unaligned(row + i) : load_some(row + i, count);
}

// out[i] = f(in[i]...) for i < n; `out` may be one of the inputs.
template <class Function, class... Row>
inline void map_row(Index n, Scalar* out, Function f, const Row&... in) {
  Index i = 0;
  for (; i + lane_count <= n; i += lane_count) {
    f(lanes_at(in, i, lane_count)...).store_unaligned(out + i);
  }
  if (i < n) {
    store_some(out + i, n - i, f(lanes_at(in, i, n - i)...));
  }
}

// Σ f(in[i]...) over i < n.
template <class Function, class... Input>
inline Scalar sum_row(Index n, Function f, const Input*... in) {
  Lanes sum(Scalar{0});
  Index i = 0;
  for (; i + lane_count <= n; i += lane_count) {
    sum += f(Lanes::load_unaligned(in + i)...);
  }
  Scalar total = xsimd::hadd(sum);
  if (i < n) {
    alignas(64) std::array<Scalar, Lanes::size> rest;
    f(load_some(in + i, n - i)...).store_aligned(rest.data());
    for (Index k = 0; k < n - i; ++k) {
      total += rest[static_cast<std::size_t>(k)];
    }
  }
  return total;
}

// Σ in[i] over i < n.
inline Scalar total_row(Index n, const Scalar* in) { return sum_row(n, std::identity(), in); }

// out[i] = f(in[i]...) for i < n, and Σ term(out[i]).
template <class Function, class Term, class... Input>
inline Scalar map_and_sum_terms(Index n, Scalar* out, Function f, Term term, const Input*... in) {
  Index i = 0;
  const auto store = [&](const auto&... lanes) {
    const Lanes value = f(lanes...);
    if (i + lane_count <= n) {
      value.store_unaligned(out + i);
    } else {
      store_some(out + i, n - i, value);
    }
    i += lane_count;
    return term(value);
  };
  return sum_row(n, store, in...);
}

inline Scalar dot_row(Index n, const Scalar* a, const Scalar* b) {
  return sum_row(n, [](const Lanes& x, const Lanes& y) { return x * y; }, a, b);
}

inline Scalar max_row(Index n, const Scalar* in) {
  Scalar largest = in[0];
  Index i = 0;
  if (n >= lane_count) {
    Lanes most = Lanes::load_unaligned(in);
    for (i = lane_count; i + lane_count <= n; i += lane_count) {
      most = xsimd::max(most, Lanes::load_unaligned(in + i));
    }
    alignas(64) std::array<Scalar, Lanes::size> lanes;
    most.store_aligned(lanes.data());
    for (const Scalar x : lanes) {
      largest = x > largest ? x : largest;
    }
  }
  for (; i < n; ++i) {
    largest = in[i] > largest ? in[i] : largest;
  }
  return largest;
}

// to += from
inline void add_to(Scalar* to, const Scalar* from, Index n) {
  map_row(n, to, [](const Lanes& a, const Lanes& b) { return a + b; }, to, from);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
