// Every synthetic task with small options, and options by name.
#pragma once

#include <variant>

#include "datasets/synthetic/symbols.hpp"
#include "datasets/task_kind.hpp"
#include "tests/support/examples.hpp"

namespace tapehead {

inline std::vector<std::string> synthetic_names() {
  std::vector<std::string> names;
  for (const TaskKind* kind : task_kinds()) {
    if (!kind->name.ends_with("text") && kind->name != "grammar_translation") {
      names.emplace_back(kind->name);
    }
  }
  return names;
}

inline TaskOptions small_task(std::string_view name) {
  const std::map<std::string_view, Index> small{{"vocabulary", 9},
                                                {"min_length", 4},
                                                {"max_length", 10},
                                                {"train_examples", 3000},
                                                {"test_examples", 300},
                                                {"validation_examples", 200},
                                                {"longer_min_length", 11},
                                                {"longer_max_length", 13},
                                                {"longer_examples", 100},
                                                {"first_offset", 1},
                                                {"second_offset", 3},
                                                {"min_period", 3},
                                                {"max_period", 7},
                                                {"min_pairs", 2},
                                                {"max_pairs", 7},
                                                {"min_gap", 2},
                                                {"max_gap", 6}};
  TaskOptions options(name);
  for (const Row& row : rows_of(options)) {
    if (const auto value = small.find(row.field.name); value != small.end()) {
      *std::get<Index*>(row.cell) = value->second;
    }
  }
  return options;
}

// Calls `visit` for each example of each split.
template <class Visit>
void for_each_example(const Task& task, const Visit& visit) {
  for (const Split& split : task.splits) {
    for (Index i = 0; i < split.size(); ++i) {
      visit(split, i, example_of(split, i));
    }
  }
}

// The pairs of a relation; the relation must exist.
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

template <class Value = Index>
Value& task_option(TaskOptions& options, std::string_view name) {
  for (const Row& row : rows_of(options)) {
    if (row.field.name == name) {
      return *std::get<Value*>(row.cell);
    }
  }
  throw std::invalid_argument("no option " + std::string(name));
}

}  // namespace tapehead
