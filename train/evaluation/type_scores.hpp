// How many outputs are right among the examples of each type, and of each group of types.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "datasets/task.hpp"

namespace tapehead {

struct TypeScore {
  std::string name;
  Index examples = 0;
  Index right = 0;

  double share() const { return static_cast<double>(right) / static_cast<double>(examples); }
};

struct TypeScores {
  std::vector<TypeScore> types;   // in the order of their bytes
  std::vector<TypeScore> groups;  // those with an example, in the order of the task
};

// Of the first examples of the split, as many as there are entries in `right`. Empty if the split
// has no types.
TypeScores type_scores(const Split& split, const std::vector<TypeGroup>& groups,
                       const std::vector<bool>& right);

// [{"type": "passive", "examples": 1000, "sequence_accuracy": 0.97}, ...], with "group" for "type"
// if `kind` says so.
nlohmann::ordered_json type_scores_json(const char* kind, const std::vector<TypeScore>& scores);

}  // namespace tapehead
