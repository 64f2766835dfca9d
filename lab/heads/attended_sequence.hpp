// One sentence as the heads of an attention see it, and what is known of its tokens.
#pragma once

#include "core/sequence/pattern.hpp"
#include "datasets/sequence.hpp"
#include "datasets/task.hpp"

namespace tapehead {

// Facts about the entries of a vocabulary.
struct TokenFacts {
  // In the training examples, without subword dropout; 0 for marks.
  std::vector<Index> occurrences;
  std::vector<bool> punctuation;  // only punctuation (Unicode category P), ignoring "▁"
  TokenId mask = -1;              // that of models that predict masked tokens; -1: none

  Index occurrences_of(TokenId token) const { return occurrences[static_cast<std::size_t>(token)]; }
  bool is_mark(TokenId token) const { return token < mark_count || token == mask; }
  bool is_punctuation(TokenId token) const { return punctuation[static_cast<std::size_t>(token)]; }
};

// Of what a batch has as its context, and as its input.
struct ReadFacts {
  TokenFacts context;
  TokenFacts input;
};
ReadFacts token_facts(const Task& task);

// The keys of one sentence, and its queries. Row i is position i.
struct AttendedSequence {
  std::span<const TokenId> keys;
  std::span<const TokenId> queries;  // the same tokens in self-attention
  bool self;
  bool causal;  // query i may only attend to keys 0 ... i, and to those of the prefix
  std::span<const Pattern> patterns;  // one for all heads, or one for each; within `causal`
  const TokenFacts& key_facts;
  std::span<const Relation> relations{};  // for all sides
  Index prefix = 0;                       // the keys below it

  RelationSide side() const {
    return !self ? RelationSide::across : causal ? RelationSide::target : RelationSide::source;
  }

  // The keys that a query of a head may attend to, in their order. Those that `top` leaves out are
  // among them: which ones these are is the head's own choice.
  std::vector<Index> keys_for(std::size_t head, Index query) const {
    const Pattern& pattern = patterns[patterns.size() == 1 ? 0 : head];
    std::vector<Index> allowed;
    allowed.reserve(keys.size());
    for (Index key = 0; key < std::ssize(keys); ++key) {
      if (pattern.allowed(query, key, prefix)) {
        allowed.push_back(key);
      }
    }
    return allowed;
  }
};

}  // namespace tapehead
