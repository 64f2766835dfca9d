#include "train/evaluation/type_scores.hpp"

#include <map>

namespace tapehead {

TypeScores type_scores(const Split& split, const std::vector<TypeGroup>& groups,
                       const std::vector<bool>& right) {
  if (split.types.empty()) {
    return {};
  }
  std::map<std::string, TypeScore> by_type;
  for (std::size_t i = 0; i < right.size(); ++i) {
    TypeScore& score = by_type[split.types[i]];
    score.name = split.types[i];
    ++score.examples;
    score.right += right[i] ? 1 : 0;
  }
  TypeScores scores;
  for (const auto& [type, score] : by_type) {
    scores.types.push_back(score);
  }
  for (const TypeGroup& group : groups) {
    TypeScore sum{.name = group.name};
    for (const std::string& type : group.types) {
      if (const auto found = by_type.find(type); found != by_type.end()) {
        sum.examples += found->second.examples;
        sum.right += found->second.right;
      }
    }
    if (sum.examples > 0) {
      scores.groups.push_back(sum);
    }
  }
  return scores;
}

nlohmann::ordered_json type_scores_json(const char* kind, const std::vector<TypeScore>& scores) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const TypeScore& score : scores) {
    rows.push_back(
        {{kind, score.name}, {"examples", score.examples}, {"sequence_accuracy", score.share()}});
  }
  return rows;
}

}  // namespace tapehead
