// Watches a model's heads over a split: which heads and keys, for any number of threads.
#include "lab/heads/head_report.hpp"

#include "datasets/loader.hpp"
#include "tests/support/head_means.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_split.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

class HeadWatch : public Test {
 protected:
  HeadWatch() : model_(options()) { model_.shake(0.5); }

  static ModelOptions options() {
    ModelOptions result = tiny_options();
    result.layers = 2;
    return result;
  }

  std::vector<AttentionSums> watch(Index batch_tokens, Index threads) const {
    Workers workers(threads);
    return watch_heads(model_.transformer, model_.store, *tiny_split().source, tiny_facts(),
                       batch_tokens, workers);
  }

  TinyModel model_;
};

TEST_F(HeadWatch, sees_every_attention_in_the_models_order) {
  std::vector<std::string> paths;
  for (const AttentionSums& attention : watch(100, 1)) {
    paths.push_back(attention.site.text());
    EXPECT_EQ(attention.heads.size(), 2U);
  }
  EXPECT_THAT(paths, ElementsAre("encoder.layers.0.self", "encoder.layers.1.self",
                                 "decoder.layers.0.self", "decoder.layers.0.cross",
                                 "decoder.layers.1.self", "decoder.layers.1.cross"));
}

// The largest weight in the last row, taken from each sentence's own weights.
TEST_F(HeadWatch, compares_every_sentence_with_its_own_relations) {
  std::map<std::string, double> expected;
  const Split split = tiny_split();
  for (Index example = 0; example < split.size(); ++example) {
    Tape tape(false);
    Pass pass(tape, model_.store);
    pass.recorder = [&](const RecordedAttention& seen) {
      const Scalar* row = seen.weights.row(seen.weights.dim(0) - 1);
      const Scalar* largest = std::max_element(row, row + seen.weights.dim(1));
      const bool any = !seen.site.is_self();
      expected[seen.site.text()] += seen.head == 0 && (any || largest == row) ? 1 : 0;
    };
    logits_of(model_.transformer, pass, pack(*split.source, {example}));
  }
  for (const AttentionSums& attention : watch(7, 2)) {
    SCOPED_TRACE(attention.site.text());
    ASSERT_EQ(attention.relations.size(), 1U);
    EXPECT_EQ(attention.relations[0].queries, static_cast<double>(split.size()));
    EXPECT_EQ(attention.relations[0].agreeing[0], expected.at(attention.site.text()));
  }
}

TEST_F(HeadWatch, says_the_same_at_any_number_of_threads) {
  const auto one = watch(7, 1);
  const auto three = watch(7, 3);
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].divergence, three[i].divergence);
    EXPECT_EQ(one[i].output_distance, three[i].output_distance);
    EXPECT_EQ(one[i].earlier, three[i].earlier);
    EXPECT_EQ(one[i].heads[0].offset_weight, three[i].heads[0].offset_weight);
    EXPECT_EQ(one[i].relations[0].agreeing, three[i].relations[0].agreeing);
  }
}

// Only decoder self-attention is causal, and cross-attention has no earlier occurrence of a token.
TEST_F(HeadWatch, knows_which_keys_there_are) {
  for (const AttentionSums& attention : watch(100, 1)) {
    SCOPED_TRACE(attention.site.text());
    const HeadSums& head = attention.heads[0];
    const bool causal = attention.site.kind == AttentionKind::decoder_self;
    EXPECT_EQ(mean_in(head, "weight_on.next").queries == 0, causal);
    EXPECT_EQ(mean_in(head, "weight_on.last").queries == 0, causal);
    EXPECT_EQ(mean_in(head, "weight_on.induction").queries == 0, !attention.site.is_self());
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
