// How often the labels are right which a sequence itself decides, apart from its other labels.
#pragma once

#include <vector>

#include "datasets/sequence.hpp"

namespace tapehead {

// Of a model that gives each token of a source its label in one pass, and a task with the relation
// `answer` from such rows: those rows are the answers.
struct AnswerScores {
  Index answers = 0;
  Index answers_right = 0;
  Index others = 0;
  Index others_right = 0;

  bool measured() const { return answers > 0; }
  double answer_accuracy() const;
  double other_accuracy() const;  // 0 without other labels
};

// `labels`: the predicted ones of the first examples; nothing is measured where a model writes
// them.
AnswerScores answer_scores(const Source& source, const std::vector<std::vector<TokenId>>& labels);

}  // namespace tapehead
