// Copies weights: the numbers of their tensors into parameters of ours, and the other way.
#pragma once

#include "interchange/architecture.hpp"
#include "interchange/pretrained_files.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The bias of an entry that a model never predicts: e^-10000 is 0 in every precision, so the other
// entries share the probability as they do in a model without this one.
inline constexpr Scalar never_bias = -10'000;

// Also after a training went on from it, in which no such bias has a gradient.
inline bool is_never(Scalar bias) { return bias < never_bias / 2; }

// Fills our parameters, and returns the tensors that no model of ours uses. `entries`: the rows of
// theirs that our vocabularies have. Throws IoError that lists the tensors that are missing, that
// have another shape, and that are left over.
std::vector<std::string> import_weights(const PretrainedFiles& files, const TheirConfig& theirs,
                                        const std::vector<TensorRow>& rows,
                                        const VocabularyRows& entries, ParameterStore& store);

struct ExportedTensor {
  std::string name;
  std::vector<Index> shape;
  std::vector<Scalar> numbers;
};

// The tensors of the rows. What ours does not have is 0; entries that its output does not have are
// never predicted.
std::vector<ExportedTensor> export_weights(const SavedRun& run, const TheirConfig& theirs,
                                           const std::vector<TensorRow>& rows);

}}  // namespace tapehead::TAPEHEAD_PRECISION
