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

// The bias of an entry that a model never predicts.
// e^-10000 is 0 in every precision, so the other entries share the probability as they do in a
// model without this one.
inline constexpr Scalar never_bias = -10'000;

// Also after a training went on from it, in which no such bias has a gradient.
inline bool is_never(Scalar bias) { return bias < never_bias / 2; }

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
