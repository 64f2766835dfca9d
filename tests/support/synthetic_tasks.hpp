// Every synthetic task, small.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/task.hpp"

namespace tapehead {

inline constexpr std::array synthetic_names{TaskName::copy,
                                            TaskName::reverse,
                                            TaskName::sort,
                                            TaskName::previous_token,
                                            TaskName::two_offsets,
                                            TaskName::induction,
                                            TaskName::copy_distractors,
                                            TaskName::brackets,
                                            TaskName::recall};

inline std::string name_of(TaskName name) {
  return std::string(EnumNames<TaskName>::names[static_cast<std::size_t>(name)]);
}

inline TaskOptions small_task(TaskName name) {
  TaskOptions options;
  options.name = name;
  options.synthetic = {.vocabulary = 9,
                       .min_length = 4,
                       .max_length = 10,
                       .train_examples = 3000,
                       .validation_examples = 200,
                       .test_examples = 300,
                       .longer_min_length = 11,
                       .longer_max_length = 13,
                       .longer_examples = 100};
  options.two_offsets = {.first_offset = 1, .second_offset = 3};
  options.brackets = {.kinds = 3,
                      .max_depth = 3,
                      .min_pairs = 2,
                      .max_pairs = 7,
                      .train_examples = 3000,
                      .validation_examples = 200,
                      .test_examples = 300};
  options.recall = {.vocabulary = 9,
                    .facts = 4,
                    .min_gap = 2,
                    .max_gap = 6,
                    .train_examples = 3000,
                    .validation_examples = 200,
                    .test_examples = 300};
  return options;
}

// Calls `visit` with each example of each split.
template <class Visit>
void for_each_example(const Task& task, const Visit& visit) {
  for (const Split& split : task.splits) {
    for (std::size_t i = 0; i < split.examples.size(); ++i) {
      visit(split, static_cast<Index>(i), split.examples[i]);
    }
  }
}

// The pairs of a relation that the task must know of.
inline std::vector<PositionPair> pairs_of(const Relations& relations, std::string_view name,
                                          RelationSide side) {
  for (const Relation& relation : relations) {
    if (relation.name == name && relation.side == side) {
      return relation.pairs;
    }
  }
  throw std::invalid_argument("no relation " + std::string(name));
}

inline TokenId token_at(const std::vector<TokenId>& tokens, Index position) {
  return tokens.at(static_cast<std::size_t>(position));
}

}  // namespace tapehead
