// Inspections: the recorder's own numbers, and the model after removing heads.
#include "lab/inspection/inspection.hpp"

#include "datasets/loader.hpp"
#include "lab/heads/head_report.hpp"
#include "lab/removal/head_removal.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/tiny_run.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

class InspectedText : public Test {
 protected:
  void SetUp() override { make_tiny_run(here_, "a"); }

  Inspection inspect(const SavedRun& run, const InspectionRequest& request) {
    Workers workers(1);
    return inspect_text(run, request, workers);
  }

  ProgramDirectory here_;
};

TEST_F(InspectedText, has_the_recorders_bits_or_those_of_a_model_without_some_heads) {
  const SavedRun run(here_ / "a");
  const Task task = run.task();
  const Split& split = task.split("test");
  const Inspection inspection =
      inspect(run, {.text = task.source_tokenizer->decode(example_of(split, 0).source),
                    .target = task.target_tokenizer->decode(example_of(split, 0).target)});
  const auto recorded = recorded_attentions(run.model, pack(*split.source, {0}));
  ASSERT_EQ(inspection.sequence.heads.size(), recorded.size());
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const RecordedAttention& seen = inspection.sequence.heads[i];
    EXPECT_EQ(seen.site, recorded[i].site);
    EXPECT_EQ(seen.head, recorded[i].head);
    EXPECT_THAT(seen.weights.values(), ElementsAreArray(recorded[i].weights.values()));
    EXPECT_THAT(seen.scores.values(), ElementsAreArray(recorded[i].scores.values()));
    EXPECT_THAT(seen.output.values(), ElementsAreArray(recorded[i].output.values()));
  }

  const Inspection pruned = inspect(
      run, {.text = "1 2 3", .without = {"encoder.layers.0.self.1", "decoder.layers.0.cross.0"}});
  const std::vector<HeadName> removed{{{AttentionKind::encoder_self, 0}, 1},
                                      {{AttentionKind::cross, 0}, 0}};
  Config config = run.config;
  config.model = options_without(config.model, run.model.transformer, removed);
  Model smaller(config, run.model.transformer.vocabularies(), FirstWeights::zeros);
  keep_weights(run.model, removed, smaller);
  const Tensor logits = tapehead::inspect(smaller, run.tokenizers, pruned.text.batch).logits;
  const Tensor& without = pruned.without->sequence.logits;
  EXPECT_THAT(without.values(), Pointwise(FloatNear(1e-5F), logits.values()));  // logits are near 1
  EXPECT_THAT(without.values(), Not(Pointwise(FloatNear(1e-3F), pruned.sequence.logits.values())));
}

// The mean weight at each distance in the other text, applied to this text's queries and keys.
Tensor expected_weights(const Tensor& other, Index queries, Index keys) {
  const auto mean = [&](Index distance) {
    double sum = 0;
    Index count = 0;
    for (Index i = 0; i < other.dim(0); ++i) {
      if (i + distance >= 0 && i + distance < other.dim(1)) {
        sum += static_cast<double>(other.row(i)[i + distance]);
        ++count;
      }
    }
    return count == 0 ? 0 : sum / static_cast<double>(count);
  };
  Tensor weights = Tensor::empty({queries, keys});
  for (Index i = 0; i < queries; ++i) {
    double sum = 0;
    for (Index j = 0; j < keys; ++j) {
      sum += mean(j - i);
    }
    for (Index j = 0; j < keys; ++j) {
      weights.row(i)[j] = static_cast<Scalar>(mean(j - i) / sum);
    }
  }
  return weights;
}

TEST_F(InspectedText, heads_with_a_pattern_look_by_distance_and_others_do_not) {
  // Heads that choose keys have means over all keys to choose from: a pair that `top` leaves out
  // counts with weight 0.
  here_.output(tiny_training(
      "top",
      {"task.train_examples=40", "task.validation_examples=4", "task.test_examples=4",
       "task.vocabulary=8", "model.d_model=8", "model.heads=2", "model.d_ff=8", "training.steps=2",
       "training.warmup=1", "evaluation.every=1", "encoder_self.pattern=top_k 2"}));
  for (const char* name : {"top", "a"}) {
    SCOPED_TRACE(name);
    const SavedRun run(here_ / name);
    const Inspection other = inspect(run, {.text = "4 5 6 7"});
    const Inspection inspection = inspect(
        run, {.text = "1 2 3", .without = {"encoder.layers.0.self.1"}, .pattern = "4 5 6 7"});
    const auto& heads = inspection.without->sequence.heads;
    const auto& whole = inspection.sequence.heads;
    EXPECT_THAT(heads[1].weights.values(),
                Pointwise(FloatNear(1e-6F),
                          expected_weights(other.sequence.heads[1].weights, 4, 4).values()));
    if (name == std::string("top")) {
      continue;
    }
    ASSERT_EQ(heads[1].site, (AttentionSite{AttentionKind::encoder_self, 0}));
    ASSERT_EQ(heads[1].head, 1);
    for (Index i = 0; i < 16; ++i) {
      EXPECT_EQ(heads[1].scores.data()[i], std::log(heads[1].weights.data()[i]));
    }
    EXPECT_THAT(heads[0].weights.values(), ElementsAreArray(whole[0].weights.values()));
    EXPECT_THAT(heads[1].output.values(), Not(ElementsAreArray(whole[1].output.values())));
    EXPECT_THAT(inspection.without->sequence.logits.values(),
                Not(ElementsAreArray(inspection.sequence.logits.values())));
    EXPECT_FALSE(inspection.without->target.empty());
  }
}

TEST(DistanceWeights, are_means_over_allowed_pairs_shared_out_among_the_keys_that_a_query_sees) {
  // Three queries look back, each only at the first key.
  Tensor weights = Tensor::zeros({3, 3});
  weights.row(0)[0] = weights.row(1)[0] = weights.row(2)[0] = 1;
  const DistanceWeights mean = mean_by_distance(weights, Pattern::causal().top(1), 0);
  EXPECT_EQ(mean.at(-2), Scalar{1});      // one pair
  EXPECT_EQ(mean.at(-1), Scalar{1} / 2);  // of two pairs
  EXPECT_EQ(mean.at(0), Scalar{1} / 3);   // of three pairs
  EXPECT_EQ(mean.at(1), Scalar{0});       // no pair
  const DistanceWeights mostly_before{.first = -1, .weights = {3, 1}};
  const Segment rows{.rows = 3};
  EXPECT_THAT(weights_at(mostly_before, Pattern::full(), rows, rows).values(),
              ElementsAre(1, 0, 0, 0.75, 0.25, 0, 0, 0.75, 0.25));
  EXPECT_THAT(weights_at({.first = 1, .weights = {2}}, Pattern::causal(), rows, rows).values(),
              Each(0));  // all keys come after the query
  const Segment last{.rows = 1, .position = 2};
  EXPECT_THAT(weights_at(mostly_before, Pattern::causal(), last, rows).values(),
              ElementsAre(0, 0.75, 0.25));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
