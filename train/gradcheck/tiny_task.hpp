// A task with little data, and short sequences where they may be short.
#pragma once

#include <functional>
#include <string_view>

#include "datasets/task_options.hpp"

namespace tapehead {

// Whether the command line set an option, "section.option": such a one stays as it is.
using IsSet = std::function<bool(std::string_view option)>;

// Text is cut into characters, which need no training and make a small vocabulary; its lines may
// then have up to `most_characters`.
void shrink_task(TaskOptions& task, Index most_characters, const IsSet& is_set);

}  // namespace tapehead
