// Explains a name that is not an option or a section at its place in a config.
#pragma once

#include <string>
#include <string_view>

#include "datasets/task_kind.hpp"

namespace tapehead {

// `task` decides which options the task section has.
std::string explain_unknown_option(std::string_view section, std::string_view option,
                                   const TaskKind& task);
std::string explain_unknown_section(std::string_view name, const TaskKind& task);

}  // namespace tapehead
