// In what the products of linear maps are computed.
#pragma once

#include "core/fields.hpp"

namespace tapehead {

// bfloat16: both factors of a product are rounded to it; sums and results stay float32.
enum class Precision { float32, bfloat16 };
constexpr ValueNames<2> value_names(Precision) { return {"float32", "bfloat16"}; }

}  // namespace tapehead
