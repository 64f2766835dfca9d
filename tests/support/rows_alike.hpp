// Rows of a product do not depend on the rows that are computed with them.
#pragma once

#include <gtest/gtest.h>

#include "core/product/matrix_product.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Numbers whose sums depend on the order of summing.
inline std::vector<Scalar> fractions(Index count, Index salt) {
  std::vector<Scalar> numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = Scalar{1} / static_cast<Scalar>(static_cast<Index>(i) * salt + 3);
  }
  return numbers;
}

// `product` has the arguments of blocked_product. Blocks are cut at other rows (and, for a
// transposed a, at other copied columns), with every remainder of tiles of six or eight rows.
void expect_rows_alike(Index depth, const auto& product) {
  constexpr Index rows = 205;
  constexpr Index columns = 40;
  const std::vector<Scalar> a = fractions(rows * depth, 1);
  const std::vector<Scalar> b = fractions(columns * depth, 2);
  for (const MatrixView left :
       {MatrixView{a.data(), depth, false}, MatrixView{a.data(), rows, true}}) {
    const auto from = [&](Index first, Index count) {
      std::vector<Scalar> c(static_cast<std::size_t>(count * columns));
      product(count, columns, depth, left.from(first, 0), MatrixView{b.data(), depth, true},
              Start{}, c.data(), columns);
      return c;
    };
    const std::vector<Scalar> all = from(0, rows);
    for (const Index first : {1, 50, 131}) {
      for (const Index count : {1, 2, 3, 4, 5, 6, 7, 13, 64, 71}) {
        EXPECT_EQ(from(first, count), std::vector<Scalar>(all.begin() + first * columns,
                                                          all.begin() + (first + count) * columns))
            << count << " rows from row " << first
            << (left.transposed ? " of a transposed matrix" : "");
      }
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
