#include "train/evaluation/answer_scores.hpp"

#include <algorithm>

namespace tapehead {

namespace {

double share_of(Index part, Index all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

// Whether each row of a source begins a pair of the relation `answer`; empty without one.
std::vector<bool> answer_rows(const Relations& relations, std::size_t rows) {
  const auto answer = std::ranges::find(relations, "answer", &Relation::name);
  if (answer == relations.end() || answer->side != RelationSide::source) {
    return {};
  }
  std::vector<bool> is_answer(rows);
  for (const PositionPair& pair : answer->pairs) {
    is_answer[static_cast<std::size_t>(pair.query)] = true;
  }
  return is_answer;
}

}  // namespace

double AnswerScores::answer_accuracy() const { return share_of(answers_right, answers); }
double AnswerScores::other_accuracy() const { return share_of(others_right, others); }

AnswerScores answer_scores(const Source& source, const std::vector<std::vector<TokenId>>& labels) {
  AnswerScores scores;
  for (std::size_t number = 0; number < labels.size() && source.in_one_pass(); ++number) {
    const std::vector<TokenId> target = source.at(static_cast<Index>(number)).labels.list();
    const std::vector<bool> is_answer =
        answer_rows(source.relations(static_cast<Index>(number)), target.size());
    for (std::size_t row = 0; row < is_answer.size(); ++row) {
      const Index right = labels[number][row] == target[row] ? 1 : 0;
      (is_answer[row] ? scores.answers : scores.others) += 1;
      (is_answer[row] ? scores.answers_right : scores.others_right) += right;
    }
  }
  return scores;
}

}  // namespace tapehead
