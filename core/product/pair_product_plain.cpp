#include <xsimd/xsimd.hpp>

#include "core/kernel/float_control.hpp"
#include "core/prelude.hpp"
#include "core/product/pair_product.hpp"

namespace tapehead {

namespace {

using Floats = xsimd::batch<float>;
using Words = xsimd::batch<std::uint32_t>;
constexpr Index lanes = static_cast<Index>(Floats::size);

// The first `count` numbers at `from`, then zeros.
template <class Batch, class Number>
Batch load(const Number* from, Index count) {
  if (count == lanes) {
    return Batch::load_unaligned(from);
  }
  alignas(64) std::array<Number, Batch::size> padded{};
  std::copy_n(from, count, padded.begin());
  return Batch::load_aligned(padded.data());
}

void store(float* to, Index count, const Floats& numbers) {
  if (count == lanes) {
    numbers.store_unaligned(to);
    return;
  }
  alignas(64) std::array<float, Floats::size> padded;
  numbers.store_aligned(padded.data());
  std::copy_n(padded.begin(), count, to);
}

Floats high(const Words& words) { return xsimd::bitwise_cast<Floats>(words & Words(0xffff0000U)); }
Floats low(const Words& words) { return xsimd::bitwise_cast<Floats>(words << 16); }

// `Rows` rows of the product from `row` on, in the `count` <= lanes columns from `column` on.
template <std::size_t Rows>
void tile(const PairProduct& p, Index row, Index column, Index count) {
  std::array<Floats, Rows> sums;
  for (std::size_t i = 0; i < Rows; ++i) {
    const Index at = row + static_cast<Index>(i);
    sums[i] = p.start == nullptr ? Floats(0.0F)
                                 : load<Floats>(p.start + at * p.start_step + column, count);
  }
  for (Index k = 0; k < p.pairs; ++k) {
    const Words right = load<Words>(p.b + k * p.b_step + column, count);
    const Floats right_high = high(right);
    const Floats right_low = low(right);
    for (std::size_t i = 0; i < Rows; ++i) {
      const Index at = row + static_cast<Index>(i);
      const Words left(p.a[at * p.a_row_step + k * p.a_pair_step]);
      sums[i] = xsimd::fma(low(left), right_low, xsimd::fma(high(left), right_high, sums[i]));
    }
  }
  for (std::size_t i = 0; i < Rows; ++i) {
    store(p.c + (row + static_cast<Index>(i)) * p.c_step + column, count, sums[i]);
  }
}

}  // namespace

void pair_product_plain(const PairProduct& p) {
  const auto control = float_control();
  set_float_control(control | subnormals_are_zero);
  constexpr Index together = 6;
  for (Index column = 0; column < p.columns; column += lanes) {
    const Index count = std::min(lanes, p.columns - column);
    Index row = 0;
    for (; row + together <= p.rows; row += together) {
      tile<together>(p, row, column, count);
    }
    for (; row < p.rows; ++row) {
      tile<1>(p, row, column, count);
    }
  }
  set_float_control(control);
}

}  // namespace tapehead
