// Facts about a task's text: for each entry of a vocabulary how often it occurs in the training
// data and whether it is punctuation.
#pragma once

#include <vector>

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

// Of what a batch has as its context, and as its input.
struct ReadFacts {
  TokenFacts context;
  TokenFacts input;
};
ReadFacts token_facts(const Task& task);

}  // namespace tapehead
