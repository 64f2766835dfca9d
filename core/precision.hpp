// The number format of the factors in linear maps.
#pragma once

#include "core/fields.hpp"

namespace tapehead {

// bfloat16: both factors of a product are rounded to it; sums and results stay float32.
enum class Precision { float32, bfloat16 };
constexpr ValueNames<2> value_names(Precision) { return {"float32", "bfloat16"}; }

}  // namespace tapehead
