// How the options of a task are made small, for gradients that are to be checked in seconds.
#pragma once

#include <algorithm>
#include <functional>
#include <string_view>

#include "core/types.hpp"

namespace tapehead {

// Whether the command line set an option, "section.option": such a one stays as it is.
using IsSet = std::function<bool(std::string_view option)>;

struct Shrinking {
  static constexpr Index most_train_examples = 64;  // only one batch of them is looked at
  static constexpr Index most_examples = 4;   // of each other split, which all tasks want to have
  static constexpr Index most_symbols = 100;  // enough for those examples to differ at any length
  static constexpr Index most_tokens = 40;

  IsSet is_set;
  Index most_characters;  // of a line of text

  // At most `most`, but not less than `least`.
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
