// Scores of written-out sentences: each figure is that of its metric.
#include "train/metrics/score.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/errors.hpp"

namespace tapehead {
namespace {

using Sentences = std::vector<std::string>;

TEST(Score, needs_a_reference_for_each_hypothesis) {
  EXPECT_THROW(score_texts(Sentences{"a"}, Sentences{}), ShapeError);
}

TEST(Score, holds_every_metric_with_its_options) {
  const Sentences hypotheses{"A b c d e.", "f g"};
  const Sentences references{"a b c d e.", "f g"};
  const BleuOptions bleu{.tokenizer = BleuTokenizer::intl, .lowercase = true};
  const ChrfOptions chrf{.lowercase = true, .word_order = 2};
  const TextScores scores = score_texts(hypotheses, references, bleu, chrf);
  EXPECT_NEAR(scores.bleu.score, 100, 1e-9);
  EXPECT_EQ(scores.bleu.signature, corpus_bleu(hypotheses, references, bleu).signature);
  EXPECT_NEAR(scores.chrf.score, 100, 1e-9);
  EXPECT_EQ(scores.chrf.signature, corpus_chrf(hypotheses, references, chrf).signature);
}

}  // namespace
}  // namespace tapehead
