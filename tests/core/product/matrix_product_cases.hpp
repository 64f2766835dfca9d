// Products of whole numbers (exact in both precisions and in any order of summing) compared with
// plain sums, and transposed copies, number by number. Included by one test per precision.
#pragma once

#include "core/kernel/row_kernels.hpp"
#include "core/product/matrix_product.hpp"
#include "core/scalar.hpp"
#include "core/version.hpp"
#include "tests/support/rows_alike.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Whole numbers from -4 to 4 in rows `stride` apart, NaN between the rows.
inline std::vector<Scalar> whole_numbers(Index rows, Index columns, Index stride, Index salt) {
  std::vector<Scalar> numbers(static_cast<std::size_t>(rows * stride),
                              std::numeric_limits<Scalar>::quiet_NaN());
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      numbers[static_cast<std::size_t>(i * stride + j)] =
          static_cast<Scalar>((i * 7 + j * 5 + i * j + salt) % 9 - 4);
    }
  }
  return numbers;
}

struct ProductCase {
  Index rows;
  Index columns;
  Index depth;
  bool a_transposed;
  bool b_transposed;
};

// The initial value of the sums.
enum class Begin { zero, what_is_there, a_row };

// `blocked`: calls blocked_product directly instead of the fastest product for the size.
inline void expect_product(const ProductCase& size, Begin begin, bool blocked = false) {
  const auto [rows, columns, depth, a_transposed, b_transposed] = size;
  SCOPED_TRACE(fmt::format("({}, {}){} times ({}, {}){}, beginning {}", rows, depth,
                           a_transposed ? " of aᵀ" : "", depth, columns,
                           b_transposed ? " of bᵀ" : "", static_cast<int>(begin)));
  const Index gap = 3;  // the matrices are columns of wider ones
  const Index a_stride = (a_transposed ? rows : depth) + gap;
  const Index b_stride = (b_transposed ? depth : columns) + gap;
  const Index c_stride = columns + gap;
  const auto a = a_transposed ? whole_numbers(depth, rows, a_stride, 1)
                              : whole_numbers(rows, depth, a_stride, 1);
  const auto b = b_transposed ? whole_numbers(columns, depth, b_stride, 2)
                              : whole_numbers(depth, columns, b_stride, 2);
  const auto row = whole_numbers(1, columns, columns, 4);
  const auto before = whole_numbers(rows, begin == Begin::what_is_there ? columns : 0, c_stride, 3);
  const MatrixView a_view{a.data(), a_stride, a_transposed};
  const MatrixView b_view{b.data(), b_stride, b_transposed};
  auto c = before;
  if (blocked) {
    const Start start = begin == Begin::zero            ? Start{}
                        : begin == Begin::what_is_there ? Start{c.data(), c_stride}
                                                        : Start{row.data(), 0};
    blocked_product(rows, columns, depth, a_view, b_view, start, c.data(), c_stride);
  } else if (begin == Begin::a_row) {
    matrix_product_plus_row(rows, columns, depth, a_view, b_view, row.data(), c.data(), c_stride);
  } else {
    matrix_product(rows, columns, depth, a_view, b_view, c.data(), c_stride,
                   begin == Begin::what_is_there);
  }
  const auto at = [](const MatrixView& of, Index i, Index j) {
    return of.transposed ? of.data[j * of.stride + i] : of.data[i * of.stride + j];
  };
  for (Index i = 0; i < rows; ++i) {
    const Scalar* const found = c.data() + i * c_stride;
    for (Index j = 0; j < columns; ++j) {
      Scalar sum = begin == Begin::what_is_there ? before.data()[i * c_stride + j]
                   : begin == Begin::a_row       ? row.data()[j]
                                                 : Scalar{0};
      for (Index r = 0; r < depth; ++r) {
        sum += at(a_view, i, r) * at(b_view, r, j);
      }
      ASSERT_EQ(found[j], sum) << "row " << i << ", column " << j;
    }
    ASSERT_THAT(std::span(found + columns, gap), Each(IsNan())) << "written behind row " << i;
  }
}

// Sizes on both sides of every limit of our own products. Rows and columns: few, many, no multiple
// of a tile or panel, several blocks. Depths: 0 and above a block. Sums of outer products: low,
// narrow, larger. Matrices above 1 MB, which exceed caches. Sizes left to OpenBLAS.
inline constexpr auto product_cases = std::to_array<ProductCase>({
    {64, 64, 64, false, true},     {64, 64, 64, false, false},   {512, 48, 20, false, true},
    {100, 35, 7, false, true},     {100, 35, 7, false, false},   {97, 16, 300, false, true},
    {193, 19, 513, false, false},  {65, 1, 257, false, true},    {64, 65536, 1, false, false},
    {70, 270, 130, false, true},   {70, 530, 260, false, false}, {64, 40, 2000, false, true},
    {63, 64, 64, false, true},     {1, 33, 17, false, false},    {70, 20, 90, true, false},
    {70, 20, 90, true, true},      {64, 16, 0, false, false},    {0, 16, 16, false, false},
    {64, 0, 16, false, false},     {7, 16, 5, true, false},      {128, 48, 200, true, false},
    {520, 64, 193, true, false},   {96, 272, 96, true, false},   {129, 144, 97, true, false},
    {20, 16, 0, true, false},      {205, 560, 300, true, false}, {210, 130, 260, true, true},
    {1100, 300, 140, false, true}, {150, 530, 530, false, true},
});

TEST(MatrixProduct, equals_the_sums_written_out) {
  for (const ProductCase& size : product_cases) {
    expect_product(size, Begin::zero);
  }
}

TEST(MatrixProduct, adds_to_what_is_there) {
  for (const ProductCase& size : product_cases) {
    expect_product(size, Begin::what_is_there);
    expect_product(size, Begin::a_row);
  }
}

// Whoever is faster.
TEST(BlockedProduct, equals_the_sums_written_out) {
  for (const ProductCase& size : product_cases) {
    for (const Begin begin : {Begin::zero, Begin::what_is_there, Begin::a_row}) {
      if (size.rows > 0 && size.depth > 0) {
        expect_product(size, begin, true);
      }
    }
  }
}

// Deeper than a block, with full panels and a partial one.
TEST(BlockedProduct, adds_up_in_the_order_of_the_depth) {
  constexpr Index rows = 9;
  constexpr Index depth = 530;
  constexpr Index columns = 83;
  const std::vector<Scalar> a = fractions(rows * depth, 1);
  const std::vector<Scalar> b = fractions(depth * columns, 2);
  const std::vector<Scalar> row = fractions(columns, 5);
  std::vector<Scalar> c(static_cast<std::size_t>(rows * columns));
  blocked_product(rows, columns, depth, {a.data(), depth}, {b.data(), columns}, {row.data(), 0},
                  c.data(), columns);
  const bool rounds_once = vector_instructions() != "SSE";
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      Scalar sum = row.data()[j];
      for (Index r = 0; r < depth; ++r) {
        const Scalar x = a.data()[i * depth + r];
        const Scalar y = b.data()[r * columns + j];
        sum = rounds_once ? std::fma(x, y, sum) : x * y + sum;
      }
      ASSERT_EQ(c.data()[i * columns + j], sum) << i << ", " << j;
    }
  }
}

TEST(BlockedProduct, a_row_is_the_same_whatever_stands_beside_it) {
  expect_rows_alike(300, blocked_product);
}

// A packed matrix gives the same result for a row whatever the number of rows; input and output are
// parts of wider matrices.
TEST(PackedMatrix, gives_a_row_the_same_whatever_stands_beside_it) {
  constexpr Index rows = 100;
  constexpr Index gap = 3;
  for (const Index columns : {1, 19, 48}) {
    for (const Index depth : {1, 7, 300}) {
      SCOPED_TRACE(fmt::format("{} columns, depth {}", columns, depth));
      const std::vector<Scalar> a = fractions(rows * (depth + gap), 1);
      const std::vector<Scalar> b = fractions(columns * depth, 2);
      const std::vector<Scalar> begin = fractions(rows * (columns + gap), 5);
      std::vector<Scalar> expected = begin;
      const MatrixView left{a.data(), depth + gap};
      blocked_product(rows, columns, depth, left, {b.data(), depth, true},
                      {expected.data(), columns + gap}, expected.data(), columns + gap);
      const PackedMatrix packed({b.data(), depth, true}, depth, columns);
      for (const Index some : {1, 2, 3, 4, 5, 6, 7, 97}) {
        std::vector<Scalar> c = begin;
        packed.product(some, left, {c.data(), columns + gap}, c.data(), columns + gap);
        const auto end = expected.begin() + some * (columns + gap);
        EXPECT_TRUE(std::equal(expected.begin(), end, c.begin())) << some << " rows";
        EXPECT_TRUE(std::equal(c.begin() + some * (columns + gap), c.end(),
                               begin.begin() + some * (columns + gap)))
            << "wrote behind " << some << " rows";
      }
    }
  }
}

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
        std::iota(from.data() + r * step, from.data() + r * step + columns,
                  static_cast<Scalar>(100 * r));
      }
      std::vector<Scalar> to(static_cast<std::size_t>(columns * to_step), untouched);
      copy_transposed(rows, columns, from.data(), step, Scalar{0.5}, to.data(), to_step);
      for (Index c = 0; c < columns; ++c) {
        for (Index r = 0; r < to_step; ++r) {
          const Scalar beyond = r < whole_rows ? Scalar{0} : untouched;
          ASSERT_EQ(to.data()[c * to_step + r],
                    r < rows ? Scalar{0.5} * from.data()[r * step + c] : beyond)
              << "row " << r << ", column " << c;
        }
      }
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
