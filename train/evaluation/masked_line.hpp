// A line of text in which some tokens are masked, as a masked language model reads it.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "datasets/sequence.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct MaskedLine {
  std::vector<TokenId> tokens;  // with the mask's id where one is masked
  std::vector<Index> masks;     // which tokens are masked
  bool ends = false;  // whether an end mark follows: the line is a document and leaves room
};

// `mask`: what stands for a masked token in the line. Throws DataError for a line of more tokens
// than the model reads at a time.
MaskedLine masked_line(const SavedRun& run, std::string_view line, std::string_view mask);

// The lines after a begin mark. What is masked is predicted.
std::shared_ptr<const Source> masked_source(std::vector<MaskedLine> lines);

}}  // namespace tapehead::TAPEHEAD_PRECISION
