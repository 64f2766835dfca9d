// The translator translates lines of text with a trained run.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/workers.hpp"
#include "nn/generation/decoding.hpp"
#include "train/evaluation/evaluation.hpp"
#include "train/evaluation/example_decoding.hpp"
#include "train/experiment.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct Translation {
  std::string text;
  double score = 0;
};

class Translator {
 public:
  // Called for each line with its index in the current call and its tokens.
  using EachLine = std::function<void(std::size_t line, const std::vector<TokenId>& tokens)>;

  // Both must outlive it. `batch_tokens`: the tokens of sources that are translated together.
  Translator(const SavedRun& run, Workers& workers, const DecodingOptions& options,
             Index batch_tokens = decoding_batch_tokens)
      : run_(run), workers_(workers), options_(options), batch_tokens_(batch_tokens) {}

  // With the options of the run's config.
  Translator(const SavedRun& run, Workers& workers)
      : Translator(run, workers, decoding_options(run.config.evaluation)) {}

  // Later tokens of a line are ignored.
  Index most_tokens() const { return run_.config.model.max_positions - 1; }  // one is the end mark

  // The `options.best` best translations of each line, best first, in the order of the lines. A
  // line without tokens has one empty translation. Lines of similar lengths share a batch, and
  // workers run batches in parallel.
  std::vector<std::vector<Translation>> translate(std::span<const std::string> lines,
                                                  const EachLine& each = {}) const;

 private:
  const SavedRun& run_;
  Workers& workers_;
  DecodingOptions options_;
  Index batch_tokens_;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
