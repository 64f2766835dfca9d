// A smaller model without some heads: which go, those that matter least of those that can, and how
// it is made.
#pragma once

#include "lab/removal/head_importance.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The remaining heads of one attention, in groups that share keys, of one head without sharing.
class HeadGroups {
 public:
  explicit HeadGroups(const AttentionSpec& spec);

  // The smallest sets that can be removed: each group, and the head of smallest slope of every
  // group.
  std::vector<std::vector<Index>> removable(const std::function<double(Index head)>& slope) const;

  // `heads`: one of the sets.
  void remove(const std::vector<Index>& heads);

  // As many of these heads as can be removed together.
  std::vector<Index> removable_among(const std::vector<Index>& heads) const;

  // The numbers of heads that can be removed, in one set after the other; 0 is one of them.
  std::set<Index> reachable() const;

 private:
  std::vector<std::vector<Index>> groups_;
};

struct RemovalStep {
  std::vector<HeadName> heads;  // removed together
  double loss = 0;              // without them and those before; measured only if no count is given
};

struct RemovalChoice {
  double loss = 0;  // with all heads
  std::vector<RemovalStep> steps{};

  // Of all steps up to the last one after which the loss has grown by at most `tolerance` nats.
  std::vector<HeadName> heads_within(double tolerance) const;
  std::vector<HeadName> all_heads() const;
};

// Removes heads as prune_heads() does, and then restores them: `count` of them or, without a count,
// all that can be removed; each time the set (HeadGroups) whose gates have the smallest mean slope.
// Throws ConfigError for a count that no combination of sets gives.
RemovalChoice choose_removal(Model& model, const Config& config, const Task& task,
                             const Split& split, std::optional<Index> count, Index slope_examples,
                             Workers& workers,
                             const std::function<void(Index done, Index of)>& progress = {});

// As many of these heads as can be removed together.
std::vector<HeadName> removable_among(const Transformer& transformer,
                                      const std::vector<HeadName>& heads);

// Why no head of an attention can be removed; empty if some can.
std::string_view why_none_goes(const Transformer& transformer, const MultiHeadAttention& attention);
std::vector<FixedAttention> staying_attentions(const Transformer& transformer);

// The options of a model without these heads. Throws ConfigError for a head that does not exist,
// and if heads cannot be separated: without their own output projection, with narrow inputs, where
// attentions share weights, or if groups of heads that share keys would become unequal.
ModelOptions options_without(const ModelOptions& options, const Transformer& transformer,
                             const std::vector<HeadName>& removed);

// Copies the weights that the smaller model still has. It then gives the same outputs as the larger
// one with the gates of these heads at 0. `to`: made from options_without() with the same heads.
void keep_weights(const Model& from, const std::vector<HeadName>& removed, Model& to);

}}  // namespace tapehead::TAPEHEAD_PRECISION
