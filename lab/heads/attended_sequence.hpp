// One sentence as the heads of an attention read it, and facts about its tokens.
#pragma once

#include "core/sequence/pattern.hpp"
#include "datasets/task.hpp"

namespace tapehead {

struct TokenFacts {
  // How often each entry occurs in the training examples, without subword dropout; 0 for marks.
  std::vector<Index> occurrences;
  std::vector<bool> punctuation;  // has only punctuation (Unicode category P), ignoring "▁"
  TokenId mask = -1;              // the mask of masked language models; -1: no mask

  Index occurrences_of(TokenId token) const { return occurrences[static_cast<std::size_t>(token)]; }
  bool is_mark(TokenId token) const { return token < mark_count || token == mask; }
  bool is_punctuation(TokenId token) const { return punctuation[static_cast<std::size_t>(token)]; }
};

struct ReadFacts {
  TokenFacts context;
  TokenFacts input;
};
ReadFacts token_facts(const Task& task);

// The keys and the queries of one sentence. Row i is position i.
struct AttendedSequence {
  std::span<const TokenId> keys;
  std::span<const TokenId> queries;  // in self-attention the same tokens as `keys`
  bool self;
  bool causal;  // query i may only attend to keys 0 ... i and to the keys of the prefix
  std::span<const Pattern> patterns;  // one for all heads, or one per head; within `causal`
  const TokenFacts& key_facts;
  std::span<const Relation> relations{};  // of any RelationSide
  Index prefix = 0;                       // the number of keys in the prefix

  RelationSide side() const {
    return !self ? RelationSide::across : causal ? RelationSide::target : RelationSide::source;
  }

  // The keys that a query of a head may attend to, in their order. Includes the keys that `top`
  // leaves out, because the head itself chooses them.
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
