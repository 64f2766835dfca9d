// ROUGE-L, token F1 and exact match: every figure of the fixture equals that of rouge-score, or
// SQuAD's definition.
#include <nlohmann/json.hpp>

#include "core/files/files.hpp"
#include "tests/support/testing.hpp"
#include "train/metrics/overlap_metrics.hpp"
#include "train/options/options.hpp"

namespace tapehead { namespace {

struct OverlapPair {
  explicit OverlapPair(const nlohmann::json& json)
      : output(json.at(0)),
        reference(json.at(1)),
        rouge_l(json.at(2)),
        token_f1(json.at(3)),
        exact_match(json.at(4)) {}

  std::string output;
  std::string reference;
  double rouge_l;
  double token_f1;
  bool exact_match;
};

// Written by `scripts/make_fixtures.py overlap`, which rounds to 11 decimals.
const std::vector<OverlapPair>& overlap_pairs() {
  static const std::vector<OverlapPair> pairs = [] {
    const auto json = nlohmann::json::parse(read_file(TAPEHEAD_FIXTURES "/overlap/pairs.json"));
    return std::vector<OverlapPair>(json.at("pairs").begin(), json.at("pairs").end());
  }();
  return pairs;
}

constexpr double rounding = 1e-10;

TEST(Overlap, the_fixture_is_whole) {
  EXPECT_GE(overlap_pairs().size(), 300U);
  EXPECT_TRUE(rouge_signature({}).ends_with("rouge-score:0.1.2"));  // from scripts/
}

TEST(Overlap, of_every_pair) {
  for (const OverlapPair& pair : overlap_pairs()) {
    SCOPED_TRACE("`" + pair.output + "` for `" + pair.reference + "`");
    EXPECT_NEAR(rouge_l(pair.output, pair.reference), pair.rouge_l, rounding);
    EXPECT_NEAR(token_f1(pair.output, pair.reference), pair.token_f1, rounding);
    EXPECT_EQ(exact_match(pair.output, pair.reference), pair.exact_match);
  }
}

TEST(Overlap, metrics_are_means_over_the_examples) {
  std::vector<ExampleScore> scored;
  double rouge_sum = 0;
  double f1_sum = 0;
  double match_sum = 0;
  for (const OverlapPair& pair : overlap_pairs()) {
    scored.push_back({.output = pair.output, .reference = pair.reference});
    rouge_sum += pair.rouge_l;
    f1_sum += pair.token_f1;
    match_sum += pair.exact_match ? 1 : 0;
  }
  const auto count = static_cast<double>(scored.size());
  EXPECT_NEAR(measure(rouge_l_metric, scored, {}), rouge_sum / count, rounding);
  EXPECT_NEAR(measure(token_f1_metric, scored, {}), f1_sum / count, rounding);
  EXPECT_NEAR(measure(exact_match_metric, scored, {}), match_sum / count, rounding);
}

TEST(Overlap, a_byte_that_is_no_text_separates_words) {
  EXPECT_EQ(rouge_words("a\xff"
                        "b"),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(answer_words("x\xff"),
            std::vector<std::u32string>{U"x\ufffd"});  // not ASCII punctuation
}

}}  // namespace tapehead
