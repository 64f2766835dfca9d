#include "core/product/product_unit.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include <spdlog/spdlog.h>

#include "core/text.hpp"

namespace tapehead {

namespace {

#ifdef TAPEHEAD_MATRIX_UNITS
// A process must ask Linux for the tiles once. Then all its threads may use them, also threads that
// run already (arch/x86/xstate.rst of Linux's documentation).
bool tiles_permitted() {
  constexpr long request_permission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long tile_data = 18;               // the number of this part of a thread's state
  if (::syscall(SYS_arch_prctl, request_permission, tile_data) == 0) {
    return true;
  }
  spdlog::warn("the system refuses the tiles of AMX ({}): products in bfloat16 do without them",
               std::strerror(errno));
  return false;
}
#endif

std::vector<ProductUnit> units_of_cpu() {
  std::vector<ProductUnit> units{{"plain", pair_product_plain}};
#ifdef TAPEHEAD_MATRIX_UNITS
  if (__builtin_cpu_supports("avx512bf16") != 0) {
    units.push_back({"avx512_bf16", pair_product_avx512_bf16});
  }
  if (__builtin_cpu_supports("amx-bf16") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
      tiles_permitted()) {
    units.push_back({"amx", pair_product_amx, true});
  }
#endif
  return units;
}

const ProductUnit& choose() {
  const std::vector<ProductUnit>& all = product_units();
  if (const char* const wanted = std::getenv("TAPEHEAD_PRODUCTS")) {
    const auto found = std::ranges::find(all, wanted, &ProductUnit::name);
    if (found == all.end()) {
      throw ConfigError("TAPEHEAD_PRODUCTS is {}, but the kernels for bfloat16 here are {}", wanted,
                        join(all | std::views::transform(&ProductUnit::name), ", "));
    }
    return *found;
  }
  return *std::ranges::max_element(all, {}, product_rate);
}

}  // namespace

double product_rate(const ProductUnit& unit) {
  constexpr Index rows = 96;
  constexpr Index columns = 64;
  constexpr Index pairs = 64;
  const std::vector<std::uint32_t> words(static_cast<std::size_t>(rows * pairs), 0x3f803f80U);
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
  return 2.0 * 2 * static_cast<double>(rows * columns * pairs) / shortest / 1e9;
}

const std::vector<ProductUnit>& product_units() {
  static const std::vector<ProductUnit> units = units_of_cpu();
  return units;
}

void say_slow_products(Precision precision) {
  // For float32 AMX's tiles are not asked for.
  if (precision == Precision::bfloat16 && product_unit().name == product_units().front().name) {
    spdlog::warn(
        "products in bfloat16 are slower than in float32 with the kernel `plain`, which is used "
        "because the CPU or this build has no other, or TAPEHEAD_PRODUCTS names it");
  }
}

const ProductUnit& product_unit() {
  static const ProductUnit& unit = choose();
  return unit;
}

}  // namespace tapehead
