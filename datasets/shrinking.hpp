// Makes the options of a task small, so that its gradients can be checked in seconds.
#pragma once

#include <algorithm>
#include <functional>
#include <string_view>

#include "core/types.hpp"

namespace tapehead {

// Whether the command line set an option, "section.option". Such an option keeps its value.
using IsSet = std::function<bool(std::string_view option)>;

struct Shrinking {
  static constexpr Index most_train_examples = 64;  // only one batch of them is used
  static constexpr Index most_examples = 4;         // of each other split; every task requires one
  static constexpr Index most_symbols = 100;  // enough for those examples to differ at any length
  static constexpr Index most_tokens = 40;

  IsSet is_set;
  Index most_characters;  // in a line of text

  // Limits a value to `most`, but not to less than `least`.
  void at_most(std::string_view option, Index& value, Index most, Index least = 0) const {
    if (!is_set(option)) {
      value = std::min(value, std::max(most, least));
    }
  }

  template <class Options>
  void splits(Options& task) const {
    at_most("task.train_examples", task.train_examples, most_train_examples);
    at_most("task.validation_examples", task.validation_examples, most_examples);
    at_most("task.test_examples", task.test_examples, most_examples);
  }
};

}  // namespace tapehead
