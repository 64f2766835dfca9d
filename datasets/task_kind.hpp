// A kind of task: its name, its options, and everything that depends on them. To add one, write a
// module that defines a TaskKind, and add a row to datasets/task_kinds.cpp.
#pragma once

#include "core/option_rows.hpp"
#include "datasets/task.hpp"

namespace tapehead {

struct TaskMaking;

// Whether the command line set an option, named "section.option". Shrinking keeps such an option.
using IsSet = std::function<bool(std::string_view option)>;

struct Shrinking {
  static constexpr Index most_train_examples = 64;  // only one batch of them is used
  static constexpr Index most_examples = 4;         // of each other split; at least one is required
  static constexpr Index most_symbols = 100;        // enough for distinct examples of any length
  static constexpr Index most_tokens = 40;

  IsSet is_set;
  Index most_characters;  // per line of text

  // Limits a value to `most`, but not to less than `least`.
  void at_most(std::string_view option, Index& value, Index most, Index least = 0) const {
    if (!is_set(option)) {
      value = std::min(value, std::max(most, least));
    }
  }

  void splits(auto& task) const {
    at_most("task.train_examples", task.train_examples, most_train_examples);
    at_most("task.validation_examples", task.validation_examples, most_examples);
    at_most("task.test_examples", task.test_examples, most_examples);
  }
};

// A condition on several options. A violation names each option as "section.option".
struct TaskRule {
  std::string_view says;  // the rule in words, for the reference
  std::optional<Violation> (*check)(const TaskOptions&);
};

// The longest possible source or target of a task: its tokens without marks, and the option that
// mainly decides them. 0 tokens: the options do not determine the length.
struct LongestSide {
  Index tokens = 0;
  std::string_view option = "task.max_length";
};

// The longest side of a task whose options have this struct.
template <class Options>
LongestSide longest_of(const TaskOptions& task) {
  return task.as<Options>().longest();
}

// A struct of options whose type is known only to the task's own module.
struct OptionsType {
  std::any (*defaults)();
  std::vector<Row> (*rows)(std::any& value);  // point into `value`
  std::size_t members;
};

template <class Options>
inline constexpr OptionsType options_type{
    .defaults = []() -> std::any { return Options{}; },
    .rows = [](std::any& value) { return rows_of(*std::any_cast<Options>(&value)); },
    .members = member_count<Options>()};

// The options of a kind, in their order in the section.
template <class... Options>
inline constexpr std::array<OptionsType, sizeof...(Options)> options_of{options_type<Options>...};

// The splits of most tasks. A task that reads files may have no test split.
inline std::vector<std::string> usual_splits(bool test = true) {
  std::vector<std::string> names{"train", "validation", "test"};
  names.resize(test ? 3 : 2);
  return names;
}

// The splits of a task whose options have this struct.
template <class Options>
std::vector<std::string> splits_of(const TaskOptions& task) {
  return usual_splits(task.as<Options>().has_test());
}

struct TaskKind {
  std::string_view name;
  std::span<const OptionsType> options;
  std::span<const TaskRule> rules{};
  LongestSide (*longest)(const TaskOptions&) = [](const TaskOptions&) { return LongestSide{}; };
  // The names of the splits that `make` will make.
  std::vector<std::string> (*splits)(const TaskOptions&) = [](const TaskOptions&) {
    return usual_splits();
  };
  // Shrinks the data and, if possible, the length of the sequences.
  void (*shrink)(TaskOptions&, const Shrinking&);
  ExampleKind examples = ExampleKind::pairs;
  // Whether the files are given as patterns of names, and a run keeps their text as tokens.
  bool kept_as_tokens = false;
  // Adds to the hash the options that decide how epochs use the training split.
  void (*add_draws)(const TaskOptions&, Hash&) = [](const TaskOptions&, Hash&) {};
  // Makes the task, except its fingerprint and the kind of its splits.
  Task (*make)(const TaskOptions&, const TaskMaking&);
};

// All kinds. The first one is used if a config names none.
std::span<const TaskKind* const> task_kinds();

const TaskKind& task_kind(std::string_view name);  // throws ConfigError if there is none

// The rows of the section, `name` first. Setting `name` to another kind invalidates the other rows.
std::vector<Row> rows_of(TaskOptions& options);

}  // namespace tapehead
