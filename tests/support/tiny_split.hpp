// The pairs of the tiny model as a split, with relations and token facts.
#pragma once

#include "datasets/task.hpp"
#include "lab/heads/attended_sequence.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Self-attention: the last row to the first. Cross-attention: the last query row to all keys.
inline Relations tiny_relations(const Example& pair) {
  const auto S = static_cast<Index>(pair.source.size());
  const auto T = static_cast<Index>(pair.target.size());
  Relations relations{{.name = "begin", .side = RelationSide::source, .pairs = {{S, 0}}},
                      {.name = "begin", .side = RelationSide::target, .pairs = {{T, 0}}},
                      {.name = "any", .side = RelationSide::across, .pairs = {}}};
  for (Index key = 0; key <= S; ++key) {
    relations.back().pairs.push_back({T, key});
  }
  return relations;
}

inline Split tiny_split() {
  const auto pairs = std::make_shared<Examples>();
  for (std::size_t i = 0; i < tiny_sources.size(); ++i) {
    pairs->push_back({.source = tiny_sources[i], .target = tiny_targets[i]});
  }
  return {.name = "", .source = pair_source(pairs, {}, [pairs](Index example) {
                        return tiny_relations((*pairs)[static_cast<std::size_t>(example)]);
                      })};
}

// A higher token id is rarer; the second highest is punctuation.
inline ReadFacts tiny_facts() {
  const auto size = static_cast<std::size_t>(tiny_vocabulary);
  TokenFacts facts{.occurrences = std::vector<Index>(size), .punctuation = std::vector<bool>(size)};
  for (std::size_t token = 0; token < size; ++token) {
    facts.occurrences[token] = static_cast<Index>(100 - token);
  }
  facts.punctuation[size - 2] = true;
  return {.context = facts, .input = facts};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
