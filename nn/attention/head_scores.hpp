// How an attention's projected queries and keys become scores, apart from dot products: other
// scores, rotary positions, learned scales.
#pragma once

#include "core/ops/attention/attention.hpp"
#include "nn/attention/head_copy.hpp"
#include "nn/attention/spec.hpp"
#include "nn/pass.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

class HeadScores {
 public:
  HeadScores(const Scope& scope, const AttentionSpec& spec, Index max_positions);

  // The segments give the rows' positions. Rotary queries turn by no more than the position `last`.
  HeadColumns query(Pass& pass, const HeadColumns& projected, const Segments& segments,
                    Index last = Pattern::unlimited) const;
  HeadColumns key(Pass& pass, const HeadColumns& projected, const Segments& segments) const;

  // Rotary keys of `heads` heads as they would be if each position were so much less.
  Var turned_back(const HeadColumns& keys, Index positions, Index heads) const;

  double scale() const;  // of the scores that `query` and `key` give
  // The scores that are not dot products, for `AttentionOptions`, and their learned numbers.
  PoolVector<std::shared_ptr<const PairScore>> functions() const;
  std::optional<Var> function_weights(Pass& pass) const;

  // Whether keys that are the same for all heads stay the same.
  bool alike() const;

  void keep_heads(const KeptHeads& kept, const HeadScores& smaller, HeadCopy& copy) const;

 private:
  std::vector<Index> numbers_among(Score score, const std::vector<Index>& heads) const;
  HeadColumns each_by_its_score(Pass& pass, const HeadColumns& heads, bool query) const;
  HeadColumns rotated(const HeadColumns& heads, const Segments& segments, Index count,
                      Index last) const;

  AttentionSpec spec_;
  Module module_;
  Parameter bilinear_;  // (heads with this score * d_qk, d_qk), one after the other
  Parameter additive_;  // (heads with this score, d_qk)
  Parameter scales_;    // (H)
  Tensor rotations_;    // (P, d_qk)
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
