// Reads numbers from the metadata of a tensor file, and checks each against its valid range.
#pragma once

#include <string>

#include "core/files/tensor_file.hpp"
#include "core/types.hpp"

namespace tapehead {

constexpr Index most_counted = 1'000'000'000'000;  // steps, epochs: more than any training has

// Throws IoError that names the file if the number is missing, not a number, or out of range.
Index metadata_number(const TensorFile& file, const std::string& key, Index least, Index most);

// All bits of a number, as a whole number, so that it is read exactly as it was written.
std::string bits_of(double value);
double metadata_real(const TensorFile& file, const std::string& key);  // finite, or IoError

}  // namespace tapehead
