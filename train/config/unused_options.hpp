// Rules about options that nothing uses: where the other options leave one without effect, it keeps
// its default or is refused.
#pragma once

#include <optional>

#include "datasets/task_kind.hpp"
#include "train/options/options.hpp"

namespace tapehead {

// They compare with defaults, since the config that a run stores has every option written out. What
// a switch turns off may stay as it is: evaluation.decode: false, heads: 0, encoder_layers: 0. So
// may what others are asked to follow, such as model.heads.
std::optional<Violation> unused_by_optimizer(const Config& config);
std::optional<Violation> unused_gate_options(const Config& config);
std::optional<Violation> unused_by_positions(const Config& config);
std::optional<Violation> unused_widths(const Config& config);

}  // namespace tapehead
