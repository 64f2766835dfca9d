// Products of rounded factors, compared with products in double precision of numbers that the test
// rounds itself; and the kernels, compared with each other.
#include <sys/mman.h>
#include <unistd.h>

#include <random>

#include "core/product/matrix_product.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// To 8 binary digits (ties to even, as std::nearbyint); smaller than any normal float: zero.
float rounded(float number) {
  if (std::abs(number) < std::numeric_limits<float>::min()) {
    return std::copysign(0.0F, number);
  }
  int exponent = 0;
  const double digits = std::nearbyint(std::ldexp(std::frexp(number, &exponent), 8));
  return static_cast<float>(std::ldexp(digits, exponent - 8));
}

std::vector<float> normal_numbers(Index count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(static_cast<std::size_t>(count));
  std::ranges::generate(numbers, [&] { return normal(random); });
  return numbers;
}

struct Size {
  Index rows;
  Index columns;
  Index depth;
};

// Sizes around those of tiles, of vectors and of blocks (96 rows, 256 columns, a depth of 512).
constexpr std::array sizes{Size{1, 1, 1},    Size{5, 17, 3},    Size{6, 64, 8},
                           Size{7, 65, 9},   Size{13, 80, 1},   Size{97, 257, 513},
                           Size{192, 33, 2}, Size{2, 300, 1030}};

TEST(RoundedProduct, is_the_product_of_the_rounded_numbers) {
  for (const auto& [rows, columns, depth] : sizes) {
    for (const int transposed : {0, 1, 2, 3}) {
      SCOPED_TRACE(
          fmt::format("({}, {}) times ({}, {}), {}", rows, depth, depth, columns, transposed));
      const std::vector<float> a = normal_numbers(rows * depth, 1);
      const std::vector<float> b = normal_numbers(depth * columns, 2);
      const std::vector<float> row = normal_numbers(columns, 3);
      const bool a_transposed = transposed % 2 == 1;
      const bool b_transposed = transposed / 2 == 1;
      const MatrixView left{a.data(), a_transposed ? rows : depth, a_transposed};
      const MatrixView right{b.data(), b_transposed ? depth : columns, b_transposed};
      std::vector<float> c(static_cast<std::size_t>(rows * columns), NAN);
      matrix_product_plus_row(rows, columns, depth, left, right, row.data(), c.data(), columns,
                              Precision::bfloat16);
      matrix_product(rows, columns, depth, left, right, c.data(), columns, true,
                     Precision::bfloat16);
      for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j) {
          double sum = row[static_cast<std::size_t>(j)];
          double magnitude = std::abs(sum);
          for (Index r = 0; r < depth; ++r) {
            const double term = 2 * static_cast<double>(rounded(*left.from(i, r).data)) *
                                static_cast<double>(rounded(*right.from(r, j).data));
            sum += term;
            magnitude += std::abs(term);
          }
          // Half a float's last digit, 6e-8, for each of some additions that round apart.
          ASSERT_NEAR(c[static_cast<std::size_t>(i * columns + j)], sum, 1e-6 * magnitude)
              << "row " << i << ", column " << j;
        }
      }
    }
  }
}

float product_with_one(float number) {
  const float one = 1;
  float c = NAN;
  matrix_product(1, 1, 1, {&number, 1}, {&one, 1}, &c, 1, false, Precision::bfloat16);
  return c;
}

TEST(RoundedProduct, rounds_to_the_nearest_and_keeps_what_is_not_finite) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  // A bfloat16 has 8 binary digits: from 1 to 2 they are 2^-7 apart.
  for (const auto& [number, expected] : std::initializer_list<std::pair<float, float>>{
           {1.0F, 1.0F},
           {1 + 0x1p-8F, 1.0F},                    // halfway: to the even one
           {1 + 0x3p-8F, 1 + 0x4p-8F},             // halfway, the even one is above
           {1 + 0x1p-8F + 0x1p-23F, 1 + 0x1p-7F},  // just above
           {-(1 + 0x3p-9F), -(1 + 0x1p-7F)},
           {0x1.FFp127F, infinity},  // past the largest, 0x1.FEp127
           {-0x1.FEp127F, -0x1.FEp127F},
           {infinity, infinity},
           {0x1p-126F, 0x1p-126F},    // the smallest normal number
           {0x1.FFFFFCp-127F, 0.0F},  // the largest subnormal number
           {0.0F, 0.0F}}) {
    EXPECT_EQ(product_with_one(number), expected) << number;
  }
  EXPECT_TRUE(std::isnan(product_with_one(NAN)));
  EXPECT_TRUE(std::isnan(product_with_one(std::bit_cast<float>(0x7f800001U)))) << "low bits alone";
}

TEST(RoundedProduct, of_depth_0_is_what_the_sums_begin_with) {
  const float row = 3;
  float c = NAN;
  matrix_product_plus_row(1, 1, 0, {&row, 1}, {&row, 1}, &row, &c, 1, Precision::bfloat16);
  EXPECT_EQ(c, 3);
}

TEST(RoundedProduct, a_row_is_the_same_whatever_stands_beside_it) {
  constexpr Index rows = 205;
  constexpr Index depth = 700;
  constexpr Index columns = 40;
  const std::vector<float> a = normal_numbers(rows * depth, 1);
  const std::vector<float> b = normal_numbers(columns * depth, 2);
  for (const MatrixView left :
       {MatrixView{a.data(), depth, false}, MatrixView{a.data(), rows, true}}) {
    const auto from = [&](Index first, Index count) {
      std::vector<float> c(static_cast<std::size_t>(count * columns));
      rounded_product(count, columns, depth, left.from(first, 0), {b.data(), depth, true}, {},
                      c.data(), columns);
      return c;
    };
    const std::vector<float> all = from(0, rows);
    for (const Index first : {1, 50, 131}) {
      for (const Index count : {1, 2, 5, 7, 64, 71}) {
        EXPECT_EQ(from(first, count), std::vector<float>(all.begin() + first * columns,
                                                         all.begin() + (first + count) * columns))
            << count << " rows from row " << first;
      }
    }
  }
}

// Memory between two pages without access.
class GuardedPages : NotCopied {
 public:
  explicit GuardedPages(std::size_t bytes) : bytes_((bytes + page - 1) / page * page) {
    all_ = static_cast<std::byte*>(
        ::mmap(nullptr, bytes_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_EQ(::mprotect(all_ + page, bytes_, PROT_READ | PROT_WRITE), 0);
  }
  ~GuardedPages() { ::munmap(all_, bytes_ + 2 * page); }

  // Room for `count` words at the pages' end, or at their beginning.
  template <class Word>
  Word* room(std::size_t count, bool at_end) {
    return reinterpret_cast<Word*>(all_ + page + (at_end ? bytes_ - count * sizeof(Word) : 0));
  }

 private:
  static constexpr std::size_t page = 4096;  // of x86-64; larger pages of others are whole ones
  std::size_t bytes_;
  std::byte* all_ = nullptr;
};

// Also with factors so small that products and sums are subnormal.
TEST(PairProduct, has_the_same_bits_by_every_kernel_and_touches_only_its_operands) {
  constexpr std::size_t most = 65;
  GuardedPages of_a(4 * most * most);
  GuardedPages of_b(4 * most * most);
  GuardedPages of_start(4 * most * most);
  GuardedPages of_c(4 * most * most);
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (std::size_t extent = 1; extent <= most; ++extent) {
    for (const auto& [rows, columns, pairs] :
         {std::array{extent, std::size_t{17}, std::size_t{5}},
          std::array{std::size_t{7}, extent, std::size_t{5}},
          std::array{std::size_t{7}, std::size_t{33}, extent}}) {
      const bool at_end = extent % 4 != 0;
      const bool turned = extent % 2 == 0;
      const float scale = extent % 3 == 0 ? 1e-19F : 1.0F;
      auto* const a = of_a.room<std::uint32_t>(rows * pairs, at_end);
      auto* const b = of_b.room<std::uint32_t>(pairs * columns, at_end);
      auto* const start = of_start.room<float>(rows * columns, at_end);
      auto* const c = of_c.room<float>(rows * columns, at_end);
      const auto word = [&] {
        const auto low = std::bit_cast<std::uint32_t>(scale * normal(random));
        const auto high = std::bit_cast<std::uint32_t>(scale * normal(random));
        return low >> 16 | (high & 0xffff0000U);
      };
      std::generate_n(a, rows * pairs, word);
      std::generate_n(b, pairs * columns, word);
      std::generate_n(start, rows * columns, [&] { return scale * scale * normal(random); });
      const auto step = [](std::size_t count) { return static_cast<std::ptrdiff_t>(count); };
      const PairProduct product{.rows = step(rows),
                                .columns = step(columns),
                                .pairs = step(pairs),
                                .a = a,
                                .a_row_step = turned ? 1 : step(pairs),
                                .a_pair_step = turned ? step(rows) : 1,
                                .b = b,
                                .b_step = step(columns),
                                .start = extent % 5 == 0 ? nullptr : start,
                                .start_step = step(columns),
                                .c = c,
                                .c_step = step(columns)};
      std::vector<std::vector<std::uint32_t>> found;
      for (const ProductUnit& unit : product_units()) {
        unit.product(product);
        found.emplace_back(reinterpret_cast<std::uint32_t*>(c),
                           reinterpret_cast<std::uint32_t*>(c) + rows * columns);
        ASSERT_EQ(found.back(), found.front())
            << unit.name << ": " << rows << " rows, " << columns << " columns, " << pairs;
      }
    }
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
