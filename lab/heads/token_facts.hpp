// What is known of a task's text: of a vocabulary's entries how often each stands in the training
// data, and whether it is a mark of punctuation; of an example which positions are related.
#pragma once

#include <functional>
#include <vector>

#include "datasets/task.hpp"

namespace tapehead {

struct TokenFacts {
  // In the training examples, as they are without subword dropout; 0 for begin, end and unknown
  // marks.
  std::vector<Index> occurrences;
  std::vector<bool> punctuation;  // nothing but punctuation (Unicode category P), "▁" apart

  Index occurrences_of(TokenId token) const { return occurrences[static_cast<std::size_t>(token)]; }
  bool is_punctuation(TokenId token) const { return punctuation[static_cast<std::size_t>(token)]; }
};

struct SideFacts {
  TokenFacts source;
  TokenFacts target;
  std::function<Relations(const Split&, Index example)> relations{};  // empty: none are known
};
SideFacts token_facts(const Task& task);

}  // namespace tapehead
