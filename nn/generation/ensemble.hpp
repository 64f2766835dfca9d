// An ensemble of models that generate together. The probability of a next token is the mean of the
// models' probabilities. An ensemble of one model keeps the model's logits.
#pragma once

#include <deque>

#include "nn/transformer/transformer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// A model with its weights, and substitutes for its heads.
struct EnsembleMember {
  const Transformer& transformer;
  const ParameterStore& store;
  HeadSubstitute substitute{};
};

// The next input of a sequence.
struct Reading {
  Index slot;                       // the sequence's place in the cache
  Index prompt;                     // the prompt that the sequence continues
  std::span<const TokenId> tokens;  // tokens after the cached rows; empty: the prompt itself
};

// A model that reads sequences token by token, with packed weights and a cache of keys and values.
class CachedModel {
 public:
  // For `slots` sequences per prompt, of at most `longest` rows. The arguments must outlive it.
  CachedModel(const EnsembleMember& model, const Prompts& prompts, Index slots, Index longest);

  // The hidden row of each reading's last token: (readings, D).
  Var read(std::span<const Reading> readings);

  // `rows` is a result of read().
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
  const Transformer& transformer_;
  const Prompts& prompts_;
  Tape tape_{false};
  Pass pass_;
  KeyValueCache cache_;
  std::optional<SequenceRows> context_;
  Tokens newest_;     // one segment for each reading
  Segments sources_;  // the rows of the context for each reading
};

class Ensemble {
 public:
  // `prompts`: the same prompts for each member, in the member's own layout. `slots` and `longest`
  // as in CachedModel. Throws ShapeError if the members have different numbers of labels.
  Ensemble(std::span<const EnsembleMember> members, std::span<const Prompts> prompts, Index slots,
           Index longest);

  // The logits of the next tokens: (readings, V). Of several models: logs of mean probabilities.
  Tensor logits(std::span<const Reading> readings);

  // The tokens of the `count` largest logits, without `excluded`.
  BestTokens best(std::span<const Reading> readings, Index count, TokenId excluded,
                  LogSums log_sums);

  // The number of a slot's rows, in the model with the most rows.
  Index length(Index slot) const;

  // As in KeyValueCache, in the cache of each model.
  void copy(Index from, Index to);
  void clear(Index slot);
  void forget(Index slot, Index keep, Index sinks);
  void release(Index slot);

 private:
  std::deque<CachedModel> models_;
};

// The `count` largest numbers of each row without `excluded`: larger numbers first; if equal, the
// lower token first. Each row holds log-probabilities: (N, V).
BestTokens best_of(const Tensor& logs, Index count, TokenId excluded, LogSums log_sums);

// log Σ_v exp(z_v), in double precision. Throws NumericError if a logit is not finite.
double log_sum_exp(std::span<const Scalar> logits);

// log(1/K Σ_k exp(l_k)). If all l_k are equal, the result is exactly that number.
double log_mean_exp(std::span<const double> logs);

// log(1/K Σ_k softmax(z_k)) for the logits z_k of K models, (N, V). Throws as log_sum_exp() does.
Tensor mean_log_probabilities(std::span<const Tensor> logits);

}}  // namespace tapehead::TAPEHEAD_PRECISION
