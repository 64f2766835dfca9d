// Parts of the ops on rows: multiples and sums of rows, and the dropout mask of a matrix.
#pragma once

#include "core/kernel/row_kernels.hpp"
#include "core/kernel/vector_functions.hpp"
#include "core/memory/pool.hpp"
#include "core/random/keep_bits.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// A row of a gradient: to = f(in...), or to += f(in...).
template <class Function, class... Row>
void put_row(Index n, const GradientTarget& to, const Function& f, const Row&... in) {
  if (to.accumulate) {
    const auto add = [&](const Lanes& old, const auto&... lanes) { return old + f(lanes...); };
    map_row(n, to.data, add, to.data, in...);
  } else {
    map_row(n, to.data, f, in...);
  }
}

// to = factor from
inline void scale_row(Index n, Scalar factor, const Scalar* from, Scalar* to) {
  map_row(n, to, [f = Lanes(factor)](const Lanes& a) { return f * a; }, from);
}

// to += factor from
inline void add_multiple(Index n, Scalar factor, const Scalar* from, Scalar* to) {
  const auto add = [f = Lanes(factor)](auto a, auto b) { return fused_multiply_add(f, b, a); };
  map_row(n, to, add, to, from);
}

// to += a ∘ b
inline void add_product(Index n, const Scalar* a, const Scalar* b, Scalar* to) {
  const auto add = [](auto sum, auto x, auto y) { return fused_multiply_add(x, y, sum); };
  map_row(n, to, add, to, a, b);
}

// to += from. A null `to` is skipped: Gradients::sum returns null for an input without gradient.
inline void add_row(Index n, const Scalar* from, Scalar* to) {
  if (to != nullptr) {
    add_to(to, from, n);
  }
}

// y[i] = scale x[rows[i]], and dx[rows[i]] += scale dy[i].
template <class Row>
Var gather_rows(const char* op, const Var& x, std::span<const Row> rows, Scalar scale) {
  const Index D = x.shape()[1];
  Tensor y = Tensor::empty({std::ssize(rows), D});
  for (Index i = 0; i < y.dim(0); ++i) {
    scale_row(D, scale, x.value().row(rows[static_cast<std::size_t>(i)]), y.row(i));
  }
  PoolVector<Row> kept(rows.begin(), rows.end());
  return x.tape().record(op, {x}, std::move(y), [D, kept = std::move(kept), scale](Gradients& g) {
    Scalar* dx = g.sum(0);
    for (Index i = 0; i < g.output().dim(0); ++i) {
      const Scalar* dy = g.output().row(i);
      add_multiple(D, scale, dy, dx + kept[static_cast<std::size_t>(i)] * D);
    }
  });
}

// The dropout mask of a matrix is drawn in the forward pass and kept as bits for the backward pass.

// Converts keep bits to the factors of dropout: 0 or 1 / (1 - probability).
class KeepFactors {
 public:
  explicit KeepFactors(const Dropout& dropout);  // use only if the dropout is active

  // The factors of a vector from number `first` of sixteen on. Bit i of `keep`: number i is kept.
  template <class Keep = xsimd::batch_bool<Scalar>>
  Lanes of(std::uint16_t keep, Index first) const {
    using Bits = typename Keep::register_type;
    if constexpr (a_bit_each) {
      return xsimd::select(Keep(static_cast<Bits>(keep >> first)), Lanes(scale_), Lanes(Scalar{0}));
    } else {
      return Lanes::load_unaligned(table_.row((keep >> (first & 8)) & 255) + (first & 7));
    }
  }

 private:
  // With AVX-512 the register of a mask has one bit for each number of a vector.
  static constexpr bool a_bit_each =
      8 * sizeof(xsimd::batch_bool<Scalar>::register_type) == Lanes::size;

  Scalar scale_;
  Tensor table_;  // (256, 8), the factors for each byte of bits; empty with AVX-512
};

// The factors of a row, for map_row.
struct KeepRow {
  const std::uint8_t* bits;
  const KeepFactors* factors;
};

inline Lanes lanes_at(const KeepRow& row, Index i, Index count) {
  std::uint16_t keep = 0;
  std::memcpy(&keep, row.bits + i / 8, static_cast<std::size_t>(keep_row_bytes(count)));
  return row.factors->of(keep, i % 8);
}

struct NoneDropped {};  // the factors of a row without dropout, all 1

inline Lanes lanes_at(NoneDropped /*row*/, Index /*i*/, Index /*count*/) {
  return Lanes(Scalar{1});
}

class DropoutMask {
 public:
  DropoutMask(const Dropout& dropout, Index rows, Index columns);

  bool active() const { return static_cast<bool>(bits_); }

  KeepRow row(Index i) const {
    return {reinterpret_cast<const std::uint8_t*>(bits_.data()) + i * row_bytes_, &factors_};
  }

  // Calls visit(row, factors of the row).
  template <class Visitor>
  void for_each_row(const Visitor& visit) const {
    for (Index i = 0; i < rows_; ++i) {
      active() ? visit(i, row(i)) : visit(i, NoneDropped());
    }
  }

 private:
  Index rows_;
  Index row_bytes_;
  KeepFactors factors_;
  Buffer bits_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
