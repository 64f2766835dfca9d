// An ensemble: models that write together. The probability of a next token is the mean of those
// that the models give it. One model alone is an ensemble, too, with its own logits.
#pragma once

#include <deque>

#include "nn/transformer/transformer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// A model with its weights, and what a study puts in the place of its heads.
struct EnsembleMember {
  const Transformer& transformer;
  const ParameterStore& store;
  HeadSubstitute substitute{};
};

// What a sequence reads next.
struct Reading {
  Index slot;                       // the sequence's place in the cache
  Index prompt;                     // what it goes on with
  std::span<const TokenId> tokens;  // those behind its rows so far; empty: the prompt itself
};

// Reads sequences on, token by token: keeps the projected keys and values of all rows so far in a
// cache, and its weights packed.
class CachedModel {
 public:
  // For `slots` sequences of each prompt, of at most `longest` rows. All must outlive it.
  CachedModel(const EnsembleMember& model, const Prompts& prompts, Index slots, Index longest);
  CachedModel(const CachedModel&) = delete;
  CachedModel& operator=(const CachedModel&) = delete;

  // The hidden row of the last token of each reading: (readings, D).
  Var read(std::span<const Reading> readings);

  // For rows that `read` gave.
  Tensor logits(const Var& rows) { return transformer_.logits(pass_, rows).value(); }
  BestTokens best(const Var& rows, Index count, TokenId excluded, LogSums log_sums) {
    return transformer_.output().best(pass_, rows, count, excluded, log_sums);
  }

  void forget(Index slot, Index keep, Index sinks) {
    transformer_.main().forget(cache_, slot, keep, sinks);
  }

  KeyValueCache& cache() { return cache_; }
  const KeyValueCache& cache() const { return cache_; }

 private:
  void gather(std::span<const Reading> readings);

  const Transformer& transformer_;
  const Prompts& prompts_;
  Tape tape_{false};
  Pass pass_;
  KeyValueCache cache_;
  std::optional<SequenceRows> context_;
  Tokens newest_;     // a segment for each reading
  Segments sources_;  // likewise: the rows of the context
};

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
