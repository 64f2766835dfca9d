// Numbers that a tensor file's metadata states, each checked against the range it may have.
#pragma once

#include <string>

#include "core/files/tensor_file.hpp"
#include "core/types.hpp"

namespace tapehead {

constexpr Index most_counted = 1'000'000'000'000;  // steps, epochs: more than any training comes to

// Throws IoError that names the file where the number is missing, is none, or is out of range.
Index metadata_number(const TensorFile& file, const std::string& key, Index least, Index most);

// All bits of a number, as a whole number: what is read is what was written.
std::string bits_of(double value);
double metadata_real(const TensorFile& file, const std::string& key);  // finite, or IoError

}  // namespace tapehead
