// One sentence as the heads of an attention see it.
#pragma once

#include <algorithm>
#include <span>

#include "core/types.hpp"
#include "datasets/relations.hpp"
#include "lab/heads/token_facts.hpp"

namespace tapehead {

// The keys of one sentence, and its queries.
struct AttendedSequence {
  std::span<const TokenId> keys;
  std::span<const TokenId> queries;  // the same tokens in self-attention
  bool self;
  bool causal;  // query i may only attend to keys 0 ... i, and to those of the prefix
  const TokenFacts& key_facts;
  std::span<const Relation> relations{};  // for all sides
  Index prefix = 0;                       // the keys below it

  RelationSide side() const {
    return !self ? RelationSide::across : causal ? RelationSide::target : RelationSide::source;
  }

  // The number of keys that a query may attend to. They are the first keys.
  Index key_count(Index query) const {
    const auto all = static_cast<Index>(keys.size());
    return causal ? std::min(all, std::max(query + 1, prefix)) : all;
  }
};

}  // namespace tapehead
