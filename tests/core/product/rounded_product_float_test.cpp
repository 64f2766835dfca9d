// Products of rounded factors, compared with products in double precision of numbers that the test
// rounds itself; and the kernels, compared with each other.
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <random>
#include <thread>

#include "core/product/matrix_product.hpp"
#include "core/version.hpp"
#include "tests/support/rows_alike.hpp"
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

// Rows of a, b and c are a power of two apart, so that many of their lines share sets of the
// caches.
void expect_product_of_rounded(const ProductUnit& unit, const Size& size, bool a_transposed,
                               bool b_transposed) {
  const auto [rows, columns, depth] = size;
  const auto matrix = [](Index height, Index width, bool transposed, unsigned seed) {
    const auto step =
        static_cast<Index>(std::bit_ceil(static_cast<std::size_t>(transposed ? height : width)));
    return std::pair(normal_numbers((transposed ? width : height) * step, seed), step);
  };
  const auto [a, a_step] = matrix(rows, depth, a_transposed, 1);
  const auto [b, b_step] = matrix(depth, columns, b_transposed, 2);
  const std::vector<float> row = normal_numbers(columns, 3);
  auto [c, c_step] = matrix(rows, columns, false, 4);
  const MatrixView left{a.data(), a_step, a_transposed};
  const MatrixView right{b.data(), b_step, b_transposed};
  const auto add = [&, &sums = c, step = c_step](StartOf<float> start) {
    rounded_product(rows, columns, depth, left, right, start, sums.data(), step, unit);
  };
  add({row.data(), 0});
  add({c.data(), c_step});
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
      ASSERT_NEAR(c[static_cast<std::size_t>(i * c_step + j)], sum, 1e-6 * magnitude)
          << "row " << i << ", column " << j;
    }
  }
}

TEST(RoundedProduct, is_the_product_of_the_rounded_numbers_by_every_kernel) {
  for (const ProductUnit& unit : product_units()) {
    for (const Size& size : sizes) {
      for (const int transposed : {0, 1, 2, 3}) {
        SCOPED_TRACE(fmt::format("{}: ({}, {}) times ({}, {}), {}", unit.name, size.rows,
                                 size.depth, size.depth, size.columns, transposed));
        expect_product_of_rounded(unit, size, transposed % 2 == 1, transposed / 2 == 1);
      }
    }
  }
}

TEST(RoundedProduct, has_the_same_bits_with_a_packed_matrix) {
  for (const auto& [rows, columns, depth] : sizes) {
    const std::vector<float> a = normal_numbers(rows * depth, 1);
    const std::vector<float> b = normal_numbers(depth * columns, 2);
    const std::vector<float> row = normal_numbers(columns, 3);
    std::vector<float> expected(static_cast<std::size_t>(rows * columns));
    std::vector<float> c = expected;
    const MatrixView left{a.data(), depth};
    for (const MatrixView right :
         {MatrixView{b.data(), columns}, MatrixView{b.data(), depth, true}}) {
      matrix_product_plus_row(rows, columns, depth, left, right, row.data(), expected.data(),
                              columns, Precision::bfloat16);
      PackedMatrix(right, depth, columns, Precision::bfloat16)
          .product(rows, left, {row.data(), 0}, c.data(), columns);
      EXPECT_EQ(c, expected) << rows << ", " << columns << ", " << depth;
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
  for (const ProductUnit& unit : product_units()) {
    SCOPED_TRACE(unit.name);
    expect_rows_alike(700,
                      [&unit](const auto&... arguments) { rounded_product(arguments..., unit); });
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

// Sums that were added in another order. What is subnormal on the way is zero in each order.
void expect_near_sums(const std::vector<float>& found, const std::vector<float>& expected,
                      const PairProduct& p) {
  const auto magnitude_of = [](std::uint32_t a, std::uint32_t b) {
    const auto number = [](std::uint32_t bits) {
      return std::abs(static_cast<double>(std::bit_cast<float>(bits)));
    };
    return number(a & 0xffff0000U) * number(b & 0xffff0000U) + number(a << 16) * number(b << 16);
  };
  for (Index i = 0; i < p.rows; ++i) {
    for (Index j = 0; j < p.columns; ++j) {
      double magnitude = p.start == nullptr ? 0 : std::abs(p.start[i * p.start_step + j]);
      for (Index k = 0; k < p.pairs; ++k) {
        magnitude += magnitude_of(p.a[i * p.a_row_step + k], p.b[k * p.b_step + j]);
      }
      const auto at = static_cast<std::size_t>(i * p.columns + j);
      ASSERT_NEAR(found[at], expected[at],
                  1e-6 * magnitude + 2 * static_cast<double>(p.pairs) * 0x1p-126)
          << "row " << i << ", column " << j;
    }
  }
}

// Also with factors so small that products and sums are subnormal.
class PairProducts : public Test {
 protected:
  static constexpr std::size_t most = 65;

  // a (rows, pairs) and b (pairs, columns); the operands end where their pages end, or begin where
  // these begin. `turned`: a is stored transposed. Some sums begin with zeros.
  void expect_the_same(std::size_t rows, std::size_t columns, std::size_t pairs, bool at_end,
                       bool turned) {
    const float scale = (rows + columns + pairs) % 3 == 0 ? 1e-19F : 1.0F;
    auto* const a = of_a_.room<std::uint32_t>(rows * pairs, at_end);
    auto* const b = of_b_.room<std::uint32_t>(pairs * columns, at_end);
    auto* const start = of_start_.room<float>(rows * columns, at_end);
    auto* const c = of_c_.room<float>(rows * columns, at_end);
    const auto word = [&] {
      const auto low = std::bit_cast<std::uint32_t>(scale * normal_(random_));
      const auto high = std::bit_cast<std::uint32_t>(scale * normal_(random_));
      return low >> 16 | (high & 0xffff0000U);
    };
    std::generate_n(a, rows * pairs, word);
    std::generate_n(b, pairs * columns, word);
    std::generate_n(start, rows * columns, [&] { return scale * scale * normal_(random_); });
    const auto step = [](std::size_t count) { return static_cast<std::ptrdiff_t>(count); };
    const PairProduct product{.rows = step(rows),
                              .columns = step(columns),
                              .pairs = step(pairs),
                              .a = a,
                              .a_row_step = turned ? 1 : step(pairs),
                              .a_pair_step = turned ? step(rows) : 1,
                              .b = b,
                              .b_step = step(columns),
                              .start = (rows + columns + pairs) % 5 == 0 ? nullptr : start,
                              .start_step = step(columns),
                              .c = c,
                              .c_step = step(columns)};
    std::vector<float> expected;
    for (const ProductUnit& unit : product_units()) {
      SCOPED_TRACE(fmt::format("{}: {} rows, {} columns, {}", unit.name, rows, columns, pairs));
      if (unit.takes_rows_of_a && turned) {
        continue;
      }
      unit.product(product);
      const std::vector<float> found(c, c + rows * columns);
      if (unit.name == "amx") {
        expect_near_sums(found, expected, product);
      } else {
        expected = expected.empty() ? found : expected;
        ASSERT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0);
      }
    }
  }

 private:
  GuardedPages of_a_{4 * most * most};
  GuardedPages of_b_{4 * most * most};
  GuardedPages of_start_{4 * most * most};
  GuardedPages of_c_{4 * most * most};
  std::mt19937 random_{7};
  std::normal_distribution<float> normal_;
};

TEST_F(PairProducts, are_the_same_by_every_kernel_and_touch_only_their_operands) {
  for (std::size_t extent = 1; extent <= most; ++extent) {
    for (const bool at_end : {true, false}) {
      for (const bool turned : {true, false}) {
        expect_the_same(extent, 17, 5, at_end, turned);
        expect_the_same(7, extent, 5, at_end, turned);
        expect_the_same(7, 33, extent, at_end, turned);
        ASSERT_FALSE(HasFailure());
      }
    }
  }
}

#if defined(__x86_64__)

// What can go wrong with a state of 8 KB that the system keeps only for those who ask. Each test
// needs a process of its own, which ctest starts.
class Amx : public Test {
 protected:
  void SetUp() override {
    const std::string_view level = kernel_level();
    if (__builtin_cpu_supports("amx-bf16") == 0 || (level != "native" && level != "avx512")) {
      GTEST_SKIP() << "this CPU has no AMX, or this build no kernel for it";
    }
  }

  // A product of whole numbers, which is exact.
  static float product() {
    const std::vector<float> ones(64 * 64, 1);
    std::vector<float> c(64 * 64);
    rounded_product(64, 64, 64, {ones.data(), 64}, {ones.data(), 64}, {}, c.data(), 64,
                    product_units().back());
    return std::ranges::min(c);
  }
};

TEST_F(Amx, multiplies_in_a_thread_from_before_the_permission) {
  std::promise<void> permitted;
  float found = 0;
  std::thread early([&] {
    permitted.get_future().wait();
    found = product();
  });
  EXPECT_EQ(product_units().back().name, "amx");
  permitted.set_value();
  early.join();
  EXPECT_EQ(found, 64);
}

TEST_F(Amx, multiplies_in_a_child_and_while_signals_arrive) {
  struct sigaction action{};
  action.sa_handler = [](int) {  // uses the tiles, too, but allocates nothing
    static std::array<std::uint32_t, 64> words;
    static std::array<float, 64> sums;
    product_units().back().product({.rows = 8,
                                    .columns = 8,
                                    .pairs = 8,
                                    .a = words.data(),
                                    .a_row_step = 8,
                                    .a_pair_step = 1,
                                    .b = words.data(),
                                    .b_step = 8,
                                    .start = nullptr,
                                    .start_step = 0,
                                    .c = sums.data(),
                                    .c_step = 8});
  };
  ::sigaction(SIGALRM, &action, nullptr);
  product();
  const ::pid_t child = ::fork();
  const ::itimerval every{.it_interval = {0, 100}, .it_value = {0, 100}};
  ::setitimer(ITIMER_REAL, &every, nullptr);
  bool exact = true;
  for (int i = 0; i < 2000; ++i) {
    exact = exact && product() == 64;
  }
  if (child == 0) {
    ::_exit(exact ? 0 : 1);
  }
  const ::itimerval never{};
  ::setitimer(ITIMER_REAL, &never, nullptr);
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(exact);
}

// The system then cannot save the tiles when a signal comes.
TEST_F(Amx, is_left_out_where_the_stack_of_signals_is_too_small_for_it) {
  std::vector<std::byte> stack(8192);
  const ::stack_t alternate{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  ASSERT_EQ(::sigaltstack(&alternate, nullptr), 0);
  internal::CaptureStdout();
  EXPECT_NE(product_units().back().name, "amx");
  EXPECT_THAT(internal::GetCapturedStdout(), HasSubstr("the system refuses the tiles of AMX"));
  const ::stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  ::sigaltstack(&none, nullptr);
}

#endif

}}}  // namespace tapehead::TAPEHEAD_PRECISION
