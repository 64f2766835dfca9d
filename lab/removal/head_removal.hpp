// Removes heads: chooses the least important ones that can go, and makes a smaller model.
#pragma once

#include "lab/removal/head_importance.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The remaining heads of one attention, in groups that share keys; single heads without sharing.
class HeadGroups {
 public:
  explicit HeadGroups(const AttentionSpec& spec);

  // The smallest sets that can be removed: each group, and the set of every group's head with the
  // smallest slope.
  std::vector<std::vector<Index>> removable(const std::function<double(Index head)>& slope) const;

  void remove(const std::vector<Index>& heads);  // one of the sets of removable()

  // The largest part of these heads that can be removed together.
  std::vector<Index> removable_among(const std::vector<Index>& heads) const;

  // All possible numbers of removed heads, when sets are removed one after the other; includes 0.
  std::set<Index> reachable() const;

 private:
  std::vector<std::vector<Index>> groups_;
};

struct RemovalStep {
  HeadNames heads;  // removed together
  double loss = 0;  // after this step; measured only if no count is given
};

struct RemovalChoice {
  double loss = 0;  // with all heads
  std::vector<RemovalStep> steps{};

  // The heads of all steps up to the last after which the loss has grown by at most `tolerance`.
  HeadNames heads_within(double tolerance) const;
  HeadNames all_heads() const;
};

// Chooses heads as prune_heads() does and then restores them: `count` heads or, without a count,
// all that can be removed. Each step takes the set (HeadGroups) with the smallest mean slope.
// Throws ConfigError if no combination of sets has `count` heads.
RemovalChoice choose_removal(Model& model, const Config& config, const Task& task,
                             const Split& split, std::optional<Index> count, Index slope_examples,
                             Workers& workers, const OnProgress& progress = {});

// The largest part of these heads that can be removed together.
HeadNames removable_among(const Transformer& transformer, const HeadNames& heads);

// Why no head of an attention can be removed; empty if some can.
std::string_view why_none_goes(const Transformer& model, const MultiHeadAttention& attention);

// The options of the model without these heads. Throws ConfigError for a head that does not exist,
// and for heads that cannot be separated: no output projection, narrow inputs, alibi, shared
// weights, or groups that share keys would become unequal.
ModelOptions options_without(const ModelOptions& options, const Transformer& transformer,
                             const HeadNames& removed);

// Copies weights into `to`, a model that options_without() gave for the same heads. Its outputs
// then equal the outputs of `from` with the gates of the removed heads at 0.
void keep_weights(const Model& from, const HeadNames& removed, Model& to);

}}  // namespace tapehead::TAPEHEAD_PRECISION
