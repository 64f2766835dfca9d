// A model that reads sequences on, token by token: it keeps the projected keys and values of all
// rows so far in a cache, and its weights packed.
#pragma once

#include <optional>
#include <span>

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

}}  // namespace tapehead::TAPEHEAD_PRECISION
