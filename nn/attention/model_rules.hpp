// Rules for the options of a model: about its attentions, what shares weights, and widths that must
// be equal. A config is checked by them, and so are the options that a model is made of.
#pragma once

#include <optional>

#include "core/errors.hpp"
#include "nn/options/model_options.hpp"

namespace tapehead {

// Each gives nothing if the options keep it. Otherwise it names options as a config does.

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
