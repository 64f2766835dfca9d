// The mask filler predicts masked tokens of lines of text, with a masked language model.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/workers.hpp"
#include "datasets/sequence.hpp"
#include "train/evaluation/decoding_batches.hpp"
#include "train/evaluation/example_decoding.hpp"
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
  MaskFiller(const SavedRun& run, Workers& workers, std::string mask = "<mask>",
             Index batch_tokens = decoding_batch_tokens);

  // Throws DataError for a line without a mask, or with more tokens than the model reads.
  MaskedLine read(std::string_view line) const;

  // For each line its masks, in their order, with the `top` most likely tokens. Throws what `read`
  // throws. Lines of similar lengths share a batch.
  std::vector<std::vector<FilledMask>> fill(const std::vector<std::string>& lines,
                                            Index top = 5) const;

 private:
  std::vector<FilledMask> candidates_of(const MaskedLine& line,
                                        const std::vector<RowLabels>& labels) const;

  const SavedRun& run_;
  Workers& workers_;
  std::string mask_;
  Index batch_tokens_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
