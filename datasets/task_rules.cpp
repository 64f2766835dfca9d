// The rules of the synthetic tasks, one function each.
#include "datasets/task_rules.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace tapehead {

namespace {

using Verdict = std::optional<Violation>;

Verdict lengths_in_order(const TaskOptions& options) {
  const SyntheticOptions& task = options.synthetic;
  if (!options.is_of_symbols() || task.min_length <= task.max_length) {
    return {};
  }
  return Violation{
      {"task.min_length", "task.max_length"},
      fmt::format("longer than task.max_length ({}, {})", task.min_length, task.max_length)};
}

Verdict longer_is_longer(const TaskOptions& options) {
  const SyntheticOptions& task = options.synthetic;
  if (!options.is_of_symbols()) {
    return {};
  }
  if (task.longer_examples == 0) {
    if (task.longer_min_length == 0 && task.longer_max_length == 0) {
      return {};
    }
    return Violation{{"task.longer_examples", "task.longer_max_length", "task.longer_min_length"},
                     "lengths for the split `longer`, but no examples: set task.longer_examples"};
  }
  if (task.longer_min_length <= task.max_length) {
    return Violation{{"task.longer_min_length", "task.longer_examples", "task.max_length"},
                     fmt::format("the split `longer` must begin beyond task.max_length "
                                 "(longer_min_length {}, max_length {})",
                                 task.longer_min_length, task.max_length)};
  }
  if (task.longer_min_length <= task.longer_max_length) {
    return {};
  }
  return Violation{{"task.longer_max_length", "task.longer_min_length"},
                   fmt::format("shorter than task.longer_min_length ({}, {})",
                               task.longer_max_length, task.longer_min_length)};
}

Verdict two_offsets_fit(const TaskOptions& options) {
  const TwoOffsetsOptions& offsets = options.two_offsets;
  const SyntheticOptions& task = options.synthetic;
  if (options.name != TaskName::two_offsets) {
    return {};
  }
  if (offsets.first_offset == offsets.second_offset) {
    return Violation{{"task.second_offset", "task.first_offset"},
                     fmt::format("the same as task.first_offset ({0}, {0}): there would be no "
                                 "difference",
                                 offsets.first_offset)};
  }
  const Index longer = std::max(offsets.first_offset, offsets.second_offset);
  if (task.min_length > longer) {
    return {};
  }
  return Violation{{"task.min_length", "task.first_offset", "task.second_offset", "task.name"},
                   fmt::format("too short for the offsets of two_offsets ({}; allowed: {} or more)",
                               task.min_length, longer + 1)};
}

Verdict induction_has_room(const TaskOptions& options) {
  constexpr Index least = 3;
  const SyntheticOptions& task = options.synthetic;
  if (options.name != TaskName::induction) {
    return {};
  }
  if (task.min_length < least) {
    return Violation{{"task.min_length", "task.name"},
                     fmt::format("too short for `A B A`, the shortest source of induction ({}; "
                                 "allowed: {} or more)",
                                 task.min_length, least)};
  }
  if (task.vocabulary >= least) {
    return {};
  }
  return Violation{
      {"task.vocabulary", "task.name"},
      fmt::format("with so few symbols the answer of induction is always the same ({}; "
                  "allowed: {} or more)",
                  task.vocabulary, least)};
}

Verdict pairs_in_order(const TaskOptions& options) {
  const BracketOptions& task = options.brackets;
  if (options.name != TaskName::brackets || task.min_pairs <= task.max_pairs) {
    return {};
  }
  return Violation{
      {"task.min_pairs", "task.max_pairs"},
      fmt::format("more than task.max_pairs ({}, {})", task.min_pairs, task.max_pairs)};
}

Verdict recall_fits(const TaskOptions& options) {
  const RecallOptions& task = options.recall;
  if (options.name != TaskName::recall) {
    return {};
  }
  if (task.min_gap > task.max_gap) {
    return Violation{{"task.min_gap", "task.max_gap"},
                     fmt::format("more than task.max_gap ({}, {})", task.min_gap, task.max_gap)};
  }
  if (task.facts <= task.vocabulary) {
    return {};
  }
  return Violation{{"task.facts", "task.vocabulary"},
                   fmt::format("more facts than there are keys ({}, task.vocabulary {})",
                               task.facts, task.vocabulary)};
}

}  // namespace

std::span<const TaskRule> task_rules() {
  static constexpr std::array<TaskRule, 6> all{{
      {"`task.min_length` is at most `task.max_length`.", lengths_in_order},
      {"The split `longer` has all three of its options or none, and begins beyond "
       "`task.max_length`.",
       longer_is_longer},
      {"`two_offsets` has two different offsets, and a `task.min_length` beyond both.",
       two_offsets_fit},
      {"`induction` has a `task.min_length` and a `task.vocabulary` of at least 3.",
       induction_has_room},
      {"`task.min_pairs` is at most `task.max_pairs`.", pairs_in_order},
      {"`task.min_gap` is at most `task.max_gap`, and `task.facts` at most the `task.vocabulary` "
       "of `recall`.",
       recall_fits},
  }};
  return all;
}

LongestSide longest_side(const TaskOptions& options) {
  switch (options.name) {
    case TaskName::grammar_translation:
      return {};
    case TaskName::parallel_text:
      return {.tokens = options.text.max_length};
    case TaskName::brackets:
      return {.tokens = 2 * options.brackets.max_pairs, .option = "task.max_pairs"};
    case TaskName::recall:
      return {.tokens = 2 * options.recall.facts + options.recall.max_gap + 1,
              .option = "task.max_gap"};
    default:
      break;
  }
  if (options.synthetic.longer_examples > 0) {
    return {.tokens = options.synthetic.longer_max_length, .option = "task.longer_max_length"};
  }
  return {.tokens = options.synthetic.max_length};
}

}  // namespace tapehead
