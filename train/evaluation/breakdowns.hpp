// The breakdowns of an evaluation: the loss by position in the sequence, which says how much the
// tokens before help to predict the next one; which outputs are right, by their references, the
// texts with which they are compared, by the rows that a sequence itself decides, and by type.
#pragma once

#include "core/sequence/batch.hpp"
#include "datasets/sequence.hpp"
#include "datasets/task.hpp"
#include "train/options/options.hpp"

namespace tapehead {

// The labels of a range of positions. At position p, counted from 1, the model has read p tokens.
struct PositionLoss {
  Index first = 1;
  Index last = 1;
  Index tokens = 0;                    // labels
  double negative_log_likelihood = 0;  // their sum, in nats

  double mean() const { return negative_log_likelihood / static_cast<double>(tokens); }
};

class PositionLosses {
 public:
  PositionLosses() = default;

  // For positions 1 to `positions`: each by itself if there are 32 or fewer. If there are more,
  // they are in 32 ranges, whose ends grow by a constant factor once that is more than one
  // position: the loss falls by about a power of the position (Kaplan et al. 2020, appendix D.5).
  explicit PositionLosses(Index positions);

  // `losses`: -log p of each label of the batch, in order. Without positions nothing is added.
  void add(const Batch& batch, std::span<const double> losses);
  void add(const PositionLosses& other);  // of the same positions

  std::vector<PositionLoss> ranges() const;  // those that have labels

  template <class Bytes>  // train/evaluation/shared_parts.hpp
  friend void serialize(Bytes& bytes, PositionLosses& losses) {
    bytes(losses.ranges_);
  }

 private:
  std::vector<PositionLoss> ranges_;
};

// The references of the first `count` examples: the texts as written, which are read again if the
// split does not keep them. Of a split that has only tokens, the tokens as text.
std::vector<std::string> first_references(const Task& task, const Split& split, std::size_t count);

// Which outputs of the split's first examples are exactly right: equal to the reference as written,
// or as the tokenizer reads it, which may differ, for instance by a second space between words. A
// reference with unknown tokens is compared only as written.
std::vector<bool> right_sequences(const Task& task, const Split& split,
                                  const std::vector<std::string>& outputs);

// Warns of references that are longer than any output can be, by evaluation.max_extra_length: how
// many there are, and which value would be enough. Nothing if the model writes no outputs.
void say_cut_references(const Split& split, const EvaluationOptions& options);

inline double share_of(Index part, Index all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

// Of a model that gives each token of a source its label in one pass, and a task with the relation
// `answer` from such rows: those rows are the answers.
struct AnswerScores {
  Index answers = 0;
  Index answers_right = 0;
  Index others = 0;
  Index others_right = 0;

  bool measured() const { return answers > 0; }
  double answer_accuracy() const { return share_of(answers_right, answers); }
  double other_accuracy() const { return share_of(others_right, others); }  // 0 without others
};

// `labels`: predicted ones of the first examples. Nothing is measured where a model writes them.
AnswerScores answer_scores(const Source& source, const std::vector<std::vector<TokenId>>& labels);

struct TypeScore {
  std::string name;
  Index examples = 0;
  Index right = 0;

  double share() const { return share_of(right, examples); }
};

struct TypeScores {
  std::vector<TypeScore> types;   // in the order of their bytes
  std::vector<TypeScore> groups;  // those with an example, in the order of the task
};

// Of the split's first examples, as many as `right` has. Empty if the split has no types.
TypeScores type_scores(const Split& split, const std::vector<TypeGroup>& groups,
                       const std::vector<bool>& right);

}  // namespace tapehead
