// Copies weights from another program's tensors to our parameters, and back.
#pragma once

#include "interchange/architecture.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The bias of an entry that is never predicted. e^-10000 is 0 in every precision, so the
// probabilities of the other entries are the same as in a model without this entry.
inline constexpr Scalar never_bias = -10'000;

// Also true after further training, in which such a bias gets no gradient.
inline bool is_never(Scalar bias) { return bias < never_bias / 2; }

// Fills our parameters, and returns the names of skipped tensors. `entries`: their row for each of
// our entries. Throws IoError that lists tensors that are missing, misshapen or left over.
std::vector<std::string> import_weights(const PretrainedFiles& files, const TheirConfig& theirs,
                                        const std::vector<TensorRow>& rows,
                                        const VocabularyRows& entries, ParameterStore& store);

struct ExportedTensor {
  std::string name;
  std::vector<Index> shape;
  std::vector<Scalar> numbers;
};

// Creates the tensors of `rows`. Weights that our model lacks are 0; entries that our output layer
// lacks are never predicted.
std::vector<ExportedTensor> export_weights(const SavedRun& run, const TheirConfig& theirs,
                                           const std::vector<TensorRow>& rows);

}}  // namespace tapehead::TAPEHEAD_PRECISION
