// Rules about options without effect: if the other options make an option unused, it must keep its
// default.
#pragma once

#include <optional>

#include "datasets/task_kind.hpp"
#include "train/options/options.hpp"

namespace tapehead {

// They compare values with defaults, since a run stores its config with every option. Options that
// a switch turns off may have any value: evaluation.decode: false, heads: 0, encoder_layers: 0,
// feed_forward: none. So may options that other options follow, such as model.heads.
std::optional<Violation> unused_by_optimizer(const Config& config);
std::optional<Violation> unused_gate_options(const Config& config);
std::optional<Violation> unused_decay_options(const Config& config);
std::optional<Violation> unused_by_positions(const Config& config);
std::optional<Violation> unused_widths(const Config& config);
std::optional<Violation> unused_by_evaluation(const Config& config);

}  // namespace tapehead
