// Token embeddings and positions by their formulas.
#pragma once

#include "tests/reference/array.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace reference {

// x[rows]
template <class Number>
Array rows_of(const Array& x, const std::vector<Number>& rows) {
  return xt::view(x, xt::keep(rows), xt::all());
}

// y = scale table[ids]
inline Array lookup(const Array& table, const std::vector<TokenId>& ids, double scale) {
  return scale * rows_of(table, ids);
}

// y = x + scale table[positions]
inline Array add_positions(const Array& x, const Array& table, const std::vector<Index>& positions,
                           double scale) {
  return x + scale * rows_of(table, positions);
}

// sin(p / 10000^(2i/D)) in column 2i, the cosine in column 2i + 1 (Vaswani et al. 2017, 3.5)
inline Array sinusoidal_positions(Index positions, Index D) {
  const Array p =
      xt::view(xt::arange<double>(static_cast<double>(positions)), xt::all(), xt::newaxis());
  const Array angles = p / xt::pow(10000.0, xt::arange<double>(0, static_cast<double>(D), 2) /
                                                static_cast<double>(D));
  Array table = xt::zeros<double>({positions, D});
  xt::view(table, xt::all(), xt::range(0, D, 2)) = xt::sin(angles);
  xt::view(table, xt::all(), xt::range(1, D, 2)) = xt::cos(angles);
  return table;
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::reference
