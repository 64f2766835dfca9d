// Copies the numbers of their tensors into parameters of ours, and remembers what does not fit.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tape/tensor.hpp"
#include "interchange/entry_rows.hpp"
#include "interchange/pretrained_files.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

class WeightCopy {
 public:
  // Nothing is copied.
  WeightCopy(const PretrainedFiles& files, const TheirConfig& theirs, const VocabularyRows& rows)
      : files_(files), theirs_(theirs), rows_(rows) {}

  void copy(const TensorRow& row, const Shape& shape, std::span<Scalar> to);

  const std::vector<std::string>& problems() const { return problems_; }

 private:
  // Of one tensor at a time: neighbouring rows of the table may use the same one.
  const std::vector<Scalar>& numbers_of(std::string_view name, const TensorEntry& entry);

  const PretrainedFiles& files_;
  const TheirConfig& theirs_;
  const VocabularyRows& rows_;
  std::string name_;
  std::vector<Scalar> numbers_;
  std::vector<std::string> problems_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
