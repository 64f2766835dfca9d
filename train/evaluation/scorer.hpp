// The scorer says how probable given texts are to a trained run or an ensemble of runs: the lines
// of a running text, or targets for given sources.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/workers.hpp"
#include "datasets/pairs.hpp"
#include "train/evaluation/alignment.hpp"
#include "train/evaluation/run_ensemble.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct TokenScore {
  TokenId token;
  double log_probability;  // given the tokens before, and the source
};

struct LineScore {
  std::vector<TokenScore> tokens;
  Alignment alignment{};  // if it was asked for

  double log_probability() const;  // of all tokens
};

class Scorer {
 public:
  enum class Scored { lines, pairs };

  // Runs and workers must outlive it. `batch_tokens`: the tokens that are scored together; with 1,
  // each line or pair is scored by itself.
  Scorer(const RunEnsemble& runs, Workers& workers, Index batch_tokens = 1)
      : runs_(runs), workers_(workers), batch_tokens_(batch_tokens) {}

  // Throws ConfigError if the runs score something else.
  void expect_scores(Scored what) const;
  // Throws DataError, which begins with `what`, for a pair of more tokens than a model has
  // positions.
  void expect_positions(const Example& pair, std::string_view what) const;

  // By a language model: each line as if it began a document or, if the run's text is only one,
  // followed a line end (Generator::front_of_text). Without anything in front of it, its first
  // token has no score. No end mark is scored. Of a line that is longer than
  // the context, each token is predicted from at least half a context. Throws ConfigError if the
  // run is no language model.
  std::vector<LineScore> score(std::span<const std::string> lines) const;

  // Target i after source i, with an end mark. With `heads`, of the first run, also an alignment:
  // of words if both tokenizers are of subwords, else of tokens (aligned_tokens, aligned_words).
  // Throws ConfigError if the run is a language model, and DataError if the counts differ or a pair
  // has more tokens than a model has positions.
  std::vector<LineScore> score(std::span<const std::string> sources,
                               std::span<const std::string> targets,
                               const AlignmentHeads* heads = nullptr) const;

 private:
  using Sources = std::vector<std::shared_ptr<const Source>>;  // for each run
  std::vector<std::vector<TokenScore>> scores_of(const Sources& sources,
                                                 const AlignmentHeads* heads,
                                                 std::vector<Tensor>& attentions) const;
  Alignment alignment_of(const Example& pair, const Tensor& attention) const;

  RunEnsemble runs_;
  Workers& workers_;
  Index batch_tokens_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
