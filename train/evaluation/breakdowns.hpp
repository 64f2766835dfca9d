// The breakdowns of an evaluation: the loss by position, which shows how much earlier tokens help
// to predict the next one, and right outputs by type of example and by rows whose label the
// sequence itself decides. Also the references of examples, with which outputs are compared.
#pragma once

#include "core/sequence/batch.hpp"
#include "datasets/sequence.hpp"
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

  // Covers positions 1 to `positions`. Up to 32 positions have a range each; more positions share
  // 32 ranges. The ends of ranges grow by a constant factor, but by at least 1, because the loss
  // falls by about a power of the position (Kaplan et al. 2020, appendix D.5).
  explicit PositionLosses(Index positions);

  // `losses`: -log p of each label of the batch, in order. Adds nothing if there are no positions.
  void add(const Batch& batch, std::span<const double> losses);
  void add(const PositionLosses& other);  // of the same positions

  std::vector<PositionLoss> ranges() const;  // only ranges that have labels

  friend void serialize(auto& bytes, PositionLosses& losses) {  // train/evaluation/shared_parts.hpp
    bytes(losses.ranges_);
  }

 private:
  std::vector<PositionLoss> ranges_;
};

// The references of the first `count` examples: the texts as written, which are read again if the
// split does not keep them. If the split has only tokens, the tokens as text.
std::vector<std::string> first_references(const Task& task, const Split& split, std::size_t count);

// The outputs of the split's first examples, with references as above. An output is right if it is
// equal to the reference as written, or as decoded from its tokens. The two may differ, for example
// by a second space between words. If the tokens have unknown marks, only the reference as written
// counts.
std::vector<ExampleScore> compared_outputs(const Task& task, const Split& split,
                                           const std::vector<std::string>& outputs);

// Warns of references that are longer than evaluation.max_extra_length lets outputs be: how many,
// and which value would be enough. Does nothing if labels are given in one pass.
void say_cut_references(const Split& split, const EvaluationOptions& options);

inline double share_of(Index part, Index all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

// Right labels of a model that labels the tokens of a source in one pass. For a task with the
// relation `answer`, the query rows of its pairs are the answers.
struct AnswerScores {
  Index answers = 0;
  Index answers_right = 0;
  Index others = 0;
  Index others_right = 0;

  bool measured() const { return answers > 0; }
  double answer_accuracy() const { return share_of(answers_right, answers); }
  double other_accuracy() const { return share_of(others_right, others); }  // 0 without other rows
};

// `labels`: predictions for the first examples. Measures nothing if a model writes token by token.
AnswerScores answer_scores(const Source& source, const std::vector<std::vector<TokenId>>& labels);

struct TypeScore {
  std::string name;
  Index examples = 0;
  Index right = 0;

  double share() const { return share_of(right, examples); }
};

struct TypeScores {
  std::vector<TypeScore> types;   // in byte order
  std::vector<TypeScore> groups;  // groups with an example, in the order of the task
};

// The scores of the split's first right.size() examples. Empty if the split has no types.
TypeScores type_scores(const Split& split, const std::vector<TypeGroup>& groups,
                       const std::vector<bool>& right);

}  // namespace tapehead
