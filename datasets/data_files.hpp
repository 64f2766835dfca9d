// The files that a task's data is read from, as its options name them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "datasets/task_options.hpp"

namespace tapehead {

// Options of the section `task` that name a file.
inline constexpr std::array<std::pair<std::string_view, std::string ParallelTextOptions::*>, 9>
    data_file_options{{{"train_source", &ParallelTextOptions::train_source},
                       {"train_target", &ParallelTextOptions::train_target},
                       {"train_tsv", &ParallelTextOptions::train_tsv},
                       {"validation_source", &ParallelTextOptions::validation_source},
                       {"validation_target", &ParallelTextOptions::validation_target},
                       {"validation_tsv", &ParallelTextOptions::validation_tsv},
                       {"test_source", &ParallelTextOptions::test_source},
                       {"test_target", &ParallelTextOptions::test_target},
                       {"test_tsv", &ParallelTextOptions::test_tsv}}};

// Calls each(option, path) for every file that the task reads; the path may be changed.
template <class Options, class Each>
void for_each_data_file(Options& options, const Each& each) {
  if (options.name != TaskName::parallel_text) {
    return;
  }
  for (const auto& [option, member] : data_file_options) {
    if (!(options.text.*member).empty()) {
      each(option, options.text.*member);
    }
  }
}

}  // namespace tapehead
