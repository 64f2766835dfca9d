// The translator translates lines of text with a trained run or an ensemble of runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/kernel/workers.hpp"
#include "nn/generation/decoding.hpp"
#include "train/evaluation/evaluation.hpp"
#include "train/evaluation/example_decoding.hpp"
#include "train/evaluation/run_ensemble.hpp"
#include "train/options/application.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct Translation {
  std::string text;
  double score = 0;
  bool ended = true;  // with an end mark; false: cut at its greatest length
};

class Translator {
 public:
  // Runs and workers must outlive it. `batch_tokens`: the tokens of sources that are translated
  // together.
  Translator(const RunEnsemble& runs, Workers& workers, const DecodingOptions& options,
             Index batch_tokens = decoding_batch_tokens)
      : runs_(runs), workers_(workers), options_(options), batch_tokens_(batch_tokens) {
    expect_used_with(runs.first().config, runs.first().directory.string(), Application::translate);
  }

  // With the options of the first run's config.
  Translator(const RunEnsemble& runs, Workers& workers)
      : Translator(runs, workers, decoding_options(runs.first().config.evaluation)) {}

  // Later tokens of a line are ignored.
  Index most_tokens() const { return runs_.context() - 1; }  // one is the end mark

  // The `options.best` best translations of each line, best first, in the order of the lines. A
  // line without tokens has one empty translation. Lines of similar lengths share a batch, and
  // workers run batches in parallel.
  std::vector<std::vector<Translation>> translate(std::span<const std::string> lines) const;
  // Of lines as tokens of the runs' source tokenizer.
  std::vector<std::vector<Translation>> translate(std::vector<std::vector<TokenId>> lines) const;

 private:
  RunEnsemble runs_;
  Workers& workers_;
  DecodingOptions options_;
  Index batch_tokens_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
