// Transposed copies, number by number. Included by one test per precision.
#pragma once

#include "core/kernel/row_kernels.hpp"
#include "core/product/matrix_product.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Sizes below, at and above one and two vectors.
inline std::vector<Index> transposed_sizes() {
  return {0, 1, lane_count - 1, lane_count, lane_count + 1, 2 * lane_count, 2 * lane_count + 3};
}

TEST(CopyTransposed, turns_rows_into_columns_and_fills_the_last_vector_with_zeros) {
  for (const Index rows : transposed_sizes()) {
    for (const Index columns : transposed_sizes()) {
      SCOPED_TRACE(Message() << rows << " rows, " << columns << " columns");
      const Index step = columns + 2;
      const Index whole_rows = (rows + lane_count - 1) / lane_count * lane_count;
      const Index to_step = whole_rows + 1;
      constexpr Scalar untouched = -1;
      std::vector<Scalar> from(static_cast<std::size_t>(rows * step),
                               std::numeric_limits<Scalar>::quiet_NaN());
      for (Index r = 0; r < rows; ++r) {
        for (Index c = 0; c < columns; ++c) {
          from[static_cast<std::size_t>(r * step + c)] = static_cast<Scalar>(100 * r + c);
        }
      }
      std::vector<Scalar> to(static_cast<std::size_t>(columns * to_step), untouched);
      copy_transposed(rows, columns, from.data(), step, Scalar{0.5}, to.data(), to_step);
      for (Index c = 0; c < columns; ++c) {
        for (Index r = 0; r < to_step; ++r) {
          const Scalar beyond = r < whole_rows ? Scalar{0} : untouched;
          const Scalar expected =
              r < rows ? Scalar{0.5} * static_cast<Scalar>(100 * r + c) : beyond;
          ASSERT_EQ(to[static_cast<std::size_t>(c * to_step + r)], expected)
              << "row " << r << ", column " << c;
        }
      }
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
