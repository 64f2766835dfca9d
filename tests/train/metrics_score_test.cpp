// Scores of written-out sentences: each figure is that of its metric.
#include "train/metrics/score.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/errors.hpp"

namespace tapehead {
namespace {

using Sentences = std::vector<std::string>;

TEST(Score, exact_matches_are_counted_byte_for_byte) {
  EXPECT_DOUBLE_EQ(exact_match_share(Sentences{"a b", "a  b", "A", "", "x"},
                                     Sentences{"a b", "a b", "a", "", "x"}),
                   0.6);
  EXPECT_EQ(exact_match_share({}, {}), 0);
  EXPECT_THROW(exact_match_share(Sentences{"a"}, Sentences{}), ShapeError);
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
  EXPECT_DOUBLE_EQ(scores.sequence_accuracy, 0.5);
}

}  // namespace
}  // namespace tapehead
