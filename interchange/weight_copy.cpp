#include "interchange/weight_copy.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/files/tensor_header.hpp"
#include "core/text.hpp"
#include "interchange/entry_rows.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

void WeightCopy::copy(const TensorRow& row, const Shape& shape, std::span<Scalar> to) {
  const std::string_view name = files_.without_prefix(row.theirs);
  const TensorEntry* entry = files_.find(name);
  if (entry == nullptr) {
    problems_.push_back(fmt::format("{} is missing", name));
    return;
  }
  const Placement placement(row, shape, rows_.of(row.entries),
                            rows_of_entries(theirs_, row.entries));
  const std::vector<Index> expected = placement.their_shape();
  if (!is_real(entry->dtype)) {
    problems_.push_back(fmt::format("{} has the type {}, where F16, BF16, F32 or F64 is read", name,
                                    name_of(entry->dtype)));
    return;
  }
  if (entry->shape != expected) {
    problems_.push_back(fmt::format("{} has the shape ({}) instead of ({})", name,
                                    join(entry->shape, ", "), join(expected, ", ")));
    return;
  }
  const std::vector<Scalar>& numbers = numbers_of(name, *entry);
  const Index columns = placement.columns();
  for (Index i = 0; i < shape[0]; ++i) {
    for (Index j = 0; j < columns; ++j) {
      const std::optional<Index> at = placement.at(i, j);
      to[static_cast<std::size_t>(i * columns + j)] =
          at ? numbers[static_cast<std::size_t>(*at)] : 0;
    }
  }
}

const std::vector<Scalar>& WeightCopy::numbers_of(std::string_view name, const TensorEntry& entry) {
  if (name != name_) {
    std::size_t count = 1;
    for (const Index size : entry.shape) {
      count *= static_cast<std::size_t>(size);
    }
    numbers_.resize(count);
    copy_values(entry, std::span(numbers_));
    name_ = name;
    if (!std::ranges::all_of(numbers_, [](Scalar number) { return std::isfinite(number); })) {
      problems_.push_back(fmt::format("{} has a number that is not finite", name));
    }
  }
  return numbers_;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
