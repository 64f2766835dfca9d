// Finds the valid name that a misspelt name most likely means, and explains one that is unknown.
#pragma once

#include "datasets/task_kind.hpp"

namespace tapehead {

// The number of insertions, deletions, replacements and swaps of neighbours that turn one into the
// other, where each part of the word is edited only once (optimal string alignment).
Index edit_distance(std::string_view from, std::string_view to);

// The closest candidate (if equal, the first), provided that it is close enough: at most a third of
// the letters differ. Case does not count, and `-` counts as `_`.
std::optional<std::string_view> nearest(std::string_view name,
                                        std::span<const std::string_view> candidates);

// Why a name at its place in a config is no option or section: misspelt, or one of another section
// or task. `task` decides which options the task section has.
std::string explain_unknown_option(std::string_view section, std::string_view option,
                                   const TaskKind& task);
std::string explain_unknown_section(std::string_view name, const TaskKind& task);

}  // namespace tapehead
