#include "core/product/product_unit.hpp"

#include <chrono>

#include "core/text.hpp"

namespace tapehead {

namespace {

constexpr std::array units{
#ifdef TAPEHEAD_AVX512_BF16
    ProductUnit{"plain", pair_product_plain}, ProductUnit{"avx512_bf16", pair_product_avx512_bf16}
#else
    ProductUnit{"plain", pair_product_plain}
#endif
};

std::size_t units_of_cpu() {
#ifdef TAPEHEAD_AVX512_BF16
  return __builtin_cpu_supports("avx512bf16") != 0 ? 2 : 1;
#else
  return 1;
#endif
}

// The shortest of some products that stay in the first-level cache, in seconds.
double seconds_of(const ProductUnit& unit) {
  constexpr Index rows = 6;
  constexpr Index columns = 64;
  constexpr Index pairs = 64;
  const std::vector<std::uint32_t> words(static_cast<std::size_t>(columns * pairs), 0x3f803f80U);
  std::vector<float> result(static_cast<std::size_t>(rows * columns));
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 50; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    unit.product({.rows = rows,
                  .columns = columns,
                  .pairs = pairs,
                  .a = words.data(),
                  .a_row_step = pairs,
                  .a_pair_step = 1,
                  .b = words.data(),
                  .b_step = columns,
                  .start = nullptr,
                  .start_step = 0,
                  .c = result.data(),
                  .c_step = columns});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    shortest = std::min(shortest, took.count());
  }
  return shortest;
}

const ProductUnit& choose() {
  const std::span<const ProductUnit> all = product_units();
  if (const char* const wanted = std::getenv("TAPEHEAD_PRODUCTS")) {
    const auto found = std::ranges::find(all, wanted, &ProductUnit::name);
    if (found == all.end()) {
      throw ConfigError("TAPEHEAD_PRODUCTS is {}, but the kernels for bfloat16 here are {}", wanted,
                        join(all | std::views::transform(&ProductUnit::name), ", "));
    }
    return *found;
  }
  return *std::ranges::min_element(all, {}, seconds_of);
}

}  // namespace

std::span<const ProductUnit> product_units() { return std::span(units).first(units_of_cpu()); }

const ProductUnit& product_unit() {
  static const ProductUnit& unit = choose();
  return unit;
}

}  // namespace tapehead
