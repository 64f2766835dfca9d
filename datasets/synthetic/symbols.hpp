// The common part of tasks over sequences of symbols: options, rules, splits and drawing.
#pragma once

#include "datasets/synthetic/splits.hpp"

namespace tapehead {

// Random sequences of symbols 0 ... vocabulary - 1.
struct SyntheticOptions {
  Index vocabulary = 11;
  Index min_length = 1;
  Index max_length = 10;
  Index train_examples = 10000;
  Index validation_examples = 1000;
  Index test_examples = 1000;
  Index longer_min_length = 0;
  Index longer_max_length = 0;
  Index longer_examples = 0;

  LongestSide longest() const {
    return longer_examples > 0 ? LongestSide{longer_max_length, "task.longer_max_length"}
                               : LongestSide{max_length};
  }

  void fields(const auto& row) {
    row(vocabulary, named("vocabulary", 1, 1000000),
        "symbols of the task, without the marks begin, end and unknown");
    row(min_length, named("min_length", 0, 100000, "tokens"), "shortest sequence");
    row(max_length, named("max_length", 1, 100000, "tokens"), "longest sequence");
    fields_of_sizes(row, *this);
    row(longer_min_length, named("longer_min_length", 0, 100000, "tokens"),
        "shortest sequence of the further test split `longer`");
    row(longer_max_length, named("longer_max_length", 0, 100000, "tokens"),
        "longest sequence of the further test split `longer`");
    row(longer_examples, named("longer_examples", 0, 1e7),
        "sequences of the further test split `longer`; 0: no such split");
  }
};

extern template std::vector<Row> rows_of(SyntheticOptions& options);  // compiled once

// Draws a length, then a source of that length from the symbols 0 ... vocabulary - 1, which are
// equally likely. `answer` computes the target.
DrawExample draw_symbols(Index vocabulary,
                         const std::function<std::vector<TokenId>(std::vector<TokenId>)>& answer);

// A task with sequences of symbols as sources. By default, each symbol is an entry.
Task make_symbol_task(const SyntheticOptions& options, const DrawExample& draw,
                      const RelationsOf& relations, const TaskMaking& making,
                      std::shared_ptr<const Tokenizer> tokenizer = {});

std::optional<Violation> lengths_out_of_order(const TaskOptions& options);
std::optional<Violation> longer_not_longer(const TaskOptions& options);

inline constexpr std::array<TaskRule, 2> symbol_rules{
    {{"`task.min_length` is at most `task.max_length`.", lengths_out_of_order},
     {"The split `longer` has all three of its options or none, and begins beyond "
      "`task.max_length`.",
      longer_not_longer}}};

std::vector<std::string> symbol_splits(const TaskOptions& options);
// Makes no length shorter than `shortest`.
void shrink_symbols(SyntheticOptions& symbols, const Shrinking& shrink, Index shortest = 1);

inline void shrink_symbol_task(TaskOptions& task, const Shrinking& shrink) {
  shrink_symbols(task.as<SyntheticOptions>(), shrink);
}

// A kind of task with the options and rules of symbol tasks.
constexpr TaskKind symbol_kind(std::string_view name, decltype(TaskKind::make) make,
                               std::span<const OptionsType> options = options_of<SyntheticOptions>,
                               std::span<const TaskRule> rules = symbol_rules,
                               decltype(TaskKind::shrink) shrink = shrink_symbol_task) {
  return {.name = name,
          .options = options,
          .rules = rules,
          .longest = longest_of<SyntheticOptions>,
          .splits = symbol_splits,
          .shrink = shrink,
          .make = make};
}

}  // namespace tapehead
