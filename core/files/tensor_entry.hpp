// One tensor in a tensor file.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace tapehead {

enum class DType { f32, f64, i64, f16, bf16 };

std::size_t byte_width(DType dtype);

// A tensor in a file: row-major, little-endian. It does not own `bytes`.
struct TensorEntry {
  std::string name;
  DType dtype = DType::f32;
  std::vector<Index> shape;  // empty: one number
  std::span<const std::byte> bytes;
};

using Metadata = std::map<std::string, std::string>;

}  // namespace tapehead
