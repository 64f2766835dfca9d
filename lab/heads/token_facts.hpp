// Facts about a task's text: for each entry of a vocabulary how often it occurs in the training
// data and whether it is punctuation; for an example which positions are related.
#pragma once

#include <functional>
#include <vector>

#include "datasets/layout.hpp"
#include "datasets/task.hpp"

namespace tapehead {

struct TokenFacts {
  // Counted in the training examples, without subword dropout; 0 for marks.
  std::vector<Index> occurrences;
  std::vector<bool> punctuation;  // only punctuation (Unicode category P), ignoring "▁"
  TokenId mask = -1;              // that of models that predict masked tokens; -1: none

  Index occurrences_of(TokenId token) const { return occurrences[static_cast<std::size_t>(token)]; }
  bool is_mark(TokenId token) const { return token < mark_count || token == mask; }
  bool is_punctuation(TokenId token) const { return punctuation[static_cast<std::size_t>(token)]; }
};

struct SideFacts {
  TokenFacts source;  // empty if source and target are one sequence
  TokenFacts target;
  std::function<Relations(const Split&, Index example)> relations{};  // empty: none are known
};
SideFacts token_facts(const Task& task, const Layout& layout);

}  // namespace tapehead
