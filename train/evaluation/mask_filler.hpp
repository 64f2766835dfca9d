// The mask filler predicts masked tokens of lines of text, with a masked language model.
#pragma once

#include <string>
#include <vector>

#include "core/kernel/workers.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct Candidate {
  std::string token;  // as the tokenizer shows it
  double probability = 0;
  std::string text;  // the line with it; other masks have their most likely token
};

// The candidates for one mask, the most likely first.
using FilledMask = std::vector<Candidate>;

class MaskFiller {
 public:
  // Run and workers must outlive it. `mask`: what stands for a masked token in a line. Throws
  // ConfigError if the run is no masked language model, or if `mask` is empty.
  MaskFiller(const SavedRun& run, Workers& workers, std::string mask = "<mask>");

  // For each line its masks, in their order, with the `top` most likely tokens. Throws DataError
  // for a line without a mask, or with more tokens than the model reads.
  std::vector<std::vector<FilledMask>> fill(const std::vector<std::string>& lines,
                                            Index top = 5) const;

 private:
  std::vector<FilledMask> fill_line(const std::string& line, Index top) const;

  const SavedRun& run_;
  Workers& workers_;
  std::string mask_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
