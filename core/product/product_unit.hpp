// Which kernel of this CPU multiplies numbers in bfloat16.
#pragma once

#include "core/choices.hpp"
#include "core/product/pair_product.hpp"

namespace tapehead {

struct ProductUnit {
  std::string_view name;
  void (*product)(const PairProduct&);
  bool takes_rows_of_a = false;  // a_pair_step must be 1
};

// The fastest kernel, measured at the first call, or the kernel that TAPEHEAD_PRODUCTS names. All
// but amx give the same bits. Throws ConfigError for a name that this CPU or program has not.
const ProductUnit& product_unit();

// Its name; empty if `precision` needs none.
inline std::string_view unit_name(Precision precision) {
  return precision == Precision::bfloat16 ? product_unit().name : std::string_view();
}

// The rate of a kernel whose operands stay in the caches, in GF/s.
double product_rate(const ProductUnit& unit);

// Warns if `precision` is bfloat16 and the kernel is the plain one, which is slower than float32.
void say_slow_products(Precision precision);

// All kernels of this program that the CPU can run; the first runs on any CPU. The first call asks
// the system for AMX's tiles, and warns if it refuses them.
const std::vector<ProductUnit>& product_units();

}  // namespace tapehead
