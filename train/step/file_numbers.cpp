#include "train/step/file_numbers.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "core/errors.hpp"

namespace tapehead {

Index metadata_number(const TensorFile& file, const std::string& key, Index least, Index most) {
  const std::string& text = file.metadata(key);
  const char* const end = text.data() + text.size();
  Index number = 0;
  const auto [read, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || read != end || number < least || number > most) {
    throw IoError(
        fmt::format("cannot use {}: its metadata says {} '{}', which is no number from "
                    "{} to {}",
                    file.path().string(), key, text, least, most));
  }
  return number;
}

std::string bits_of(double value) { return std::to_string(std::bit_cast<Index>(value)); }

double metadata_real(const TensorFile& file, const std::string& key) {
  const auto value = std::bit_cast<double>(metadata_number(
      file, key, std::numeric_limits<Index>::min(), std::numeric_limits<Index>::max()));
  if (!std::isfinite(value)) {
    throw IoError(fmt::format("cannot use {}: its metadata says {} {}, which is not finite",
                              file.path().string(), key, value));
  }
  return value;
}

}  // namespace tapehead
