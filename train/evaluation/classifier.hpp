// The classifier gives classes to lines of text, with a trained run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/kernel/workers.hpp"
#include "datasets/text/classified_text.hpp"
#include "train/evaluation/example_decoding.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct LikelyClass {
  std::string label;
  double probability = 0;
};

class Classifier {
 public:
  // Run and workers must outlive it. Throws ConfigError if the run is not of labelled texts.
  Classifier(const SavedRun& run, Workers& workers, Index batch_tokens = decoding_batch_tokens);

  Index texts() const { return texts_; }  // of a line: one, or two with a tab between them

  // The tokens of a line as the model reads them. Throws DataError for another number of texts.
  ClassifiedText read(const std::string& line) const;

  // For each line its `top` most likely classes, or all there are, the most likely first. The
  // probabilities of all classes sum to 1.
  std::vector<std::vector<LikelyClass>> classify(std::span<const ClassifiedText> lines,
                                                 Index top = 1) const;

 private:
  const SavedRun& run_;
  Workers& workers_;
  Index batch_tokens_;
  Index texts_;
  Index max_length_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
