// Which kernel of this CPU multiplies numbers in bfloat16.
#pragma once

#include "core/fields.hpp"
#include "core/product/pair_product.hpp"

namespace tapehead {

// In what the products of linear maps are computed in a step of training.
enum class Precision { float32, bfloat16 };
constexpr ValueNames<2> value_names(Precision) { return {"float32", "bfloat16"}; }

struct ProductUnit {
  std::string_view name;
  void (*product)(const PairProduct&);
};

// The fastest kernel, measured at the first call, or the kernel that TAPEHEAD_PRODUCTS names. All
// kernels give the same bits. Throws ConfigError for a name that this CPU or program has not.
const ProductUnit& product_unit();

// Its name; empty if `precision` needs none.
inline std::string_view unit_name(Precision precision) {
  return precision == Precision::bfloat16 ? product_unit().name : std::string_view();
}

// All kernels of this program that the CPU can run; the first runs on any CPU.
std::span<const ProductUnit> product_units();

}  // namespace tapehead
