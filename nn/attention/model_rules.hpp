// Rules for the options of an attention and of a model, by which a config is checked, and the
// options that a model is made of.
#pragma once

#include "nn/attention/spec.hpp"

namespace tapehead {

// The options that contradict each other, if any, named as in AttentionSettings.
std::optional<Violation> spec_violation(const AttentionSpec& spec);

// Whether there are several heads, and all of them always have the same queries, keys, values and
// weights of attention: no projection, position, pattern, score or scale differs by head.
bool heads_are_copies(const AttentionSpec& spec);

// Whether at most kind, pattern and dropout differ, and as many distances are learned.
bool can_share_weights(const AttentionSpec& a, const AttentionSpec& b);

// Each of these gives nothing if the options keep it. Otherwise it names options as a config does.

// No attention has options that contradict each other (spec_violation).
std::optional<Violation> attentions_compose(const ModelOptions& model);

// Attentions with the same name (AttentionSpec::shared_as) can have the same weights.
std::optional<Violation> names_share(const ModelOptions& model);

// There are no more groups than layers, and the layers of a group can have the same weights.
std::optional<Violation> layer_groups_fit(const ModelOptions& model);

// A prefix is a decoder's, and its patterns take one.
std::optional<Violation> prefix_fits(const ModelOptions& model);

// An embedding for source and target has two sides to be for.
std::optional<Violation> tied_source_exists(const ModelOptions& model);

// An output layer that is the embedding reads rows as wide as the embedding's.
std::optional<Violation> tied_output_fits(const ModelOptions& model);

// Throws ConfigError if a rule is broken.
void expect_none(const std::optional<Violation>& found);

}  // namespace tapehead
