// An ensemble: models that write together. The probability of a next token is the mean of those
// that the models give it. One model alone is an ensemble, too, with its own logits.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "core/tape/tensor.hpp"
#include "nn/generation/cached_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

class Ensemble {
 public:
  // `prompts`: the same prompts for each member, in its own layout. Members, prompts, `slots` and
  // `longest` as in CachedModel. Throws ShapeError if the members have different numbers of labels.
  Ensemble(std::span<const EnsembleMember> members, std::span<const Prompts> prompts, Index slots,
           Index longest);

  // The logits of the token behind each reading: (readings, V). Of several models, the logarithms
  // of the mean probabilities.
  Tensor logits(std::span<const Reading> readings);

  // The tokens of the `count` largest logits; `excluded` is never among them.
  BestTokens best(std::span<const Reading> readings, Index count, TokenId excluded,
                  LogSums log_sums);

  // The rows of a slot, in the model with the most.
  Index length(Index slot) const;

  void copy(Index from, Index to);  // overwrites slot `to` with slot `from`
  void clear(Index slot);           // removes the slot's rows
  // Removes rows of the slot, until the first `sinks` and the last `keep` are left.
  void forget(Index slot, Index keep, Index sinks);
  void release(Index slot);  // frees a slot that is no longer used

 private:
  std::deque<CachedModel> models_;
};

// The `count` largest numbers of each row but that of `excluded`: the larger first, of equal ones
// the lower token. Each row holds log-probabilities: (N, V).
BestTokens best_of(const Tensor& log_probabilities, Index count, TokenId excluded,
                   LogSums log_sums);

// log Σ_v exp(z_v), in double precision. Throws NumericError if a logit is not finite.
double log_sum_exp(std::span<const Scalar> logits);

// log(1/K Σ_k exp(l_k)). Of equal numbers it is that number, exactly.
double log_mean_exp(std::span<const double> logs);

// log(1/K Σ_k softmax(z_k)), row by row, for the logits z_k of K models; all are (N, V). Throws
// NumericError if a logit is not finite.
Tensor mean_log_probabilities(std::span<const Tensor> logits);

}}  // namespace tapehead::TAPEHEAD_PRECISION
