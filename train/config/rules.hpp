// Rules: conditions that several options of a config must meet together.
#pragma once

#include "datasets/task_kind.hpp"
#include "train/options/options.hpp"

namespace tapehead {

struct Rule {
  std::string_view says;  // the rule in words, for the reference
  std::function<std::optional<Violation>(const Config&)> check;
};

// Rules about options without effect: an option that the other options leave unused must keep its
// default. The rules compare values with defaults, since the stored config of a run sets every
// option. An option that a switch turns off may have any value: evaluation.decode: false, heads: 0,
// encoder_layers: 0, feed_forward: none. An option that others follow, such as model.heads, may
// have any value too.
std::optional<Violation> unused_by_another(const Config& config);  // Field::when
std::optional<Violation> unused_gate_options(const Config& config);
std::optional<Violation> unused_by_positions(const Config& config);
std::optional<Violation> unused_widths(const Config& config);
std::optional<Violation> unused_by_evaluation(const Config& config);
std::optional<Violation> unused_depth_scale(const Config& config);

// Rules about the family of a model: its parts and its tasks.
std::optional<Violation> parts_exist(const Config& config);
std::optional<Violation> text_has_one_stack(const Config& config);
std::optional<Violation> begin_mark_is_used(const Config& config);
std::optional<Violation> memory_fits(const Config& config);

// Whether the source and the target of a text have a vocabulary each.
bool has_two_vocabularies(const Config& config);

// All rules of configs and of tasks. A rule checks a config before the config is resolved.
std::span<const Rule> rules();

}  // namespace tapehead
