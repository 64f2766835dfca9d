// Rules that the options of an attention and of a model must keep, checked for configs and models.
#pragma once

#include "nn/attention/spec.hpp"

namespace tapehead {

// The options that contradict each other, if any, with the names of AttentionSettings.
std::optional<Violation> spec_violation(const AttentionSpec& spec);

// Whether several heads always have the same queries, keys, values and attention weights: no
// projection, position, pattern, score or scale differs between heads.
bool heads_are_copies(const AttentionSpec& spec);

// Whether only kind, pattern and dropout differ, and the number of learned distances is the same.
bool can_share_weights(const AttentionSpec& a, const AttentionSpec& b);

// Each of the next functions returns nothing if its rule is kept, else option names as in a config.

// No attention has contradicting options (spec_violation).
std::optional<Violation> attentions_compose(const ModelOptions& model);

// Attentions with the same name (AttentionSpec::shared_as) can share weights.
std::optional<Violation> names_share(const ModelOptions& model);

// There are no more groups than layers, and the layers of a group can share weights.
std::optional<Violation> layer_groups_fit(const ModelOptions& model);

// Only a decoder has a prefix, and its patterns support a prefix.
std::optional<Violation> prefix_fits(const ModelOptions& model);

// An embedding shared by source and target requires a model with both.
std::optional<Violation> tied_source_exists(const ModelOptions& model);

// An output layer that uses the embedding reads rows of the embedding's width.
std::optional<Violation> tied_output_fits(const ModelOptions& model);

// Throws ConfigError if a rule is broken.
void expect_none(const std::optional<Violation>& found);

}  // namespace tapehead
