// A line of text in which some tokens are masked, as a masked language model reads it.
#pragma once

#include <string_view>
#include <vector>

#include "core/sequence/batch.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct MaskedLine {
  std::vector<TokenId> tokens;  // with the mask's id where one is masked
  bool ends = false;  // whether an end mark follows: the line is a document and leaves room

  // The line after a begin mark. Its labelled rows are its masks.
  Batch batch(TokenId mask) const;
};

// `mask`: what stands for a masked token in the line. Throws DataError for a line of more tokens
// than the model reads at a time.
MaskedLine masked_line(const SavedRun& run, std::string_view line, std::string_view mask);

}}  // namespace tapehead::TAPEHEAD_PRECISION
