// One sentence as the heads of an attention see it.
#pragma once

#include <algorithm>
#include <span>

#include "core/types.hpp"
#include "datasets/relations.hpp"
#include "lab/heads/token_facts.hpp"

namespace tapehead {

// The keys of one sentence, and who asks.
struct AttendedSequence {
  std::span<const TokenId> keys;
  std::span<const TokenId> queries;  // the same tokens in self-attention
  bool self;
  bool causal;  // query i may attend to keys 0 ... i alone
  const TokenFacts& key_facts;
  std::span<const Relation> relations{};  // of all sides

  RelationSide side() const {
    return !self ? RelationSide::across : causal ? RelationSide::target : RelationSide::source;
  }

  // The keys that one query may attend to: the first so many.
  Index key_count(Index query) const {
    const auto all = static_cast<Index>(keys.size());
    return causal ? std::min(all, query + 1) : all;
  }
};

}  // namespace tapehead
