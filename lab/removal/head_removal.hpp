// Removes heads: chooses the least important removable heads, and makes a smaller model.
#pragma once

#include "lab/removal/head_importance.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The remaining heads of one attention, in groups that share keys; single heads without sharing.
class HeadGroups {
 public:
  HeadGroups(AttentionSite site, Index heads, Index groups);

  // The smallest sets that can be removed: each group; and one set that has, from every group, the
  // head with the smallest slope.
  std::vector<HeadNames> removable(const std::function<double(const HeadName&)>& slope) const;

  void remove(const HeadNames& heads);  // a set of removable(); has no effect on other attentions

  // The largest part of these heads that can be removed together; ignores other attentions.
  HeadNames removable_among(const HeadNames& heads) const;

  // All possible numbers of removed heads, when sets are removed one after the other; includes 0.
  std::set<Index> reachable() const;

 private:
  std::vector<HeadNames> groups_;
};

// Chooses heads as prune_heads() does and then restores them: `count` heads or, without a count,
// all that can be removed. Each step takes the set (HeadGroups) with the smallest mean slope. The
// loss is measured only if no count is given. Throws ConfigError if no combination of sets has
// `count` heads.
PruningCurve choose_removal(Model& model, const Config& config, const Task& task,
                            const Split& split, std::optional<Index> count, Index slope_examples,
                            Workers& workers, const OnProgress& progress = {});

// The largest part of these heads that can be removed together.
HeadNames removable_among(const Transformer& transformer, const HeadNames& heads);

// Why no head of an attention can be removed; empty if some can.
std::string_view why_none_goes(const Transformer& model, const MultiHeadAttention& attention);

// The options of the model without these heads. Throws ConfigError for a head that does not exist,
// and for heads that cannot be removed: no output projection, narrow inputs, alibi, shared weights,
// or the remaining heads would share keys in unequal groups.
ModelOptions options_without(const ModelOptions& options, const Transformer& transformer,
                             const HeadNames& removed);

// Copies weights into `to`, a model that options_without() gave for the same heads. Its outputs
// then equal the outputs of `from` with the gates of the removed heads at 0.
void keep_weights(const Model& from, const HeadNames& removed, Model& to);

}}  // namespace tapehead::TAPEHEAD_PRECISION
