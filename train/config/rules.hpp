// Rules: conditions on several options.
#pragma once

#include "datasets/task_kind.hpp"
#include "train/options/options.hpp"

namespace tapehead {

struct Rule {
  std::string_view says;  // for the reference
  std::function<std::optional<Violation>(const Config&)> check;
};

// Options without effect: if the other options make an option unused, it must keep its default.
// They compare values with defaults, since a run stores its config with every option. Options that
// a switch turns off may have any value: evaluation.decode: false, heads: 0, encoder_layers: 0,
// feed_forward: none. An option that others follow, such as model.heads, may have any value too.
std::optional<Violation> unused_by_another(const Config& config);  // Field::when
std::optional<Violation> unused_gate_options(const Config& config);
std::optional<Violation> unused_by_positions(const Config& config);
std::optional<Violation> unused_widths(const Config& config);
std::optional<Violation> unused_by_evaluation(const Config& config);
std::optional<Violation> unused_depth_scale(const Config& config);

// The family of a model: which parts it has, and which tasks it is for.
std::optional<Violation> parts_exist(const Config& config);
std::optional<Violation> text_has_one_stack(const Config& config);
std::optional<Violation> begin_mark_is_used(const Config& config);

// The memory of running text.
std::optional<Violation> memory_fits(const Config& config);

// All rules, including those of the task. They check a config before it is resolved.
std::span<const Rule> rules();

}  // namespace tapehead
