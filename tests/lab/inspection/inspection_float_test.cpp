// Inspections: the recorder's own numbers, and the model without heads as removal makes it.
#include "lab/inspection/inspection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "datasets/loader.hpp"
#include "lab/heads/recorded_attentions.hpp"
#include "lab/removal/head_removal.hpp"
#include "tests/support/tiny_run.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

using ::testing::ElementsAreArray;
using ::testing::FloatNear;
using ::testing::Pointwise;

class InspectedText : public ::testing::Test {
 protected:
  void SetUp() override { make_tiny_run(here_, "a"); }

  Inspection inspect(const SavedRun& run, const InspectionRequest& request) {
    Workers workers(1);
    return inspect_text(run, request, workers);
  }

  TemporaryDirectory here_;
};

TEST_F(InspectedText, has_the_recorders_bits) {
  const SavedRun run(here_ / "a");
  const Task task = run.task();
  const Split& split = task.split("test");
  const Inspection inspection =
      inspect(run, {.text = task.source_tokenizer->decode(split.examples[0].source),
                    .target = task.target_tokenizer->decode(split.examples[0].target)});
  const auto recorded = recorded_attentions(run.model, make_batch(split, {0}));
  ASSERT_EQ(inspection.sequence.heads.size(), recorded.size());
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const RecordedAttention& seen = inspection.sequence.heads[i];
    EXPECT_EQ(seen.site, recorded[i].site);
    EXPECT_EQ(seen.head, recorded[i].head);
    EXPECT_THAT(seen.weights.values(), ElementsAreArray(recorded[i].weights.values()));
    EXPECT_THAT(seen.scores.values(), ElementsAreArray(recorded[i].scores.values()));
    EXPECT_THAT(seen.output.values(), ElementsAreArray(recorded[i].output.values()));
  }
}

TEST_F(InspectedText, without_heads_is_what_a_model_without_them_says) {
  const SavedRun run(here_ / "a");
  const Inspection inspection = inspect(
      run, {.text = "1 2 3", .without = {"encoder.layers.0.self.1", "decoder.layers.0.cross.0"}});
  const std::vector<HeadName> removed{{{AttentionKind::encoder_self, 0}, 1},
                                      {{AttentionKind::cross, 0}, 0}};
  Config config = run.config;
  config.model = options_without(config.model, run.model.transformer, removed);
  Model smaller(config, run.model.transformer.vocabularies());
  keep_weights(run.model, removed, smaller);
  const Tensor logits = tapehead::inspect(smaller, run.tokenizers, inspection.text.batch).logits;
  const Tensor& without = inspection.without->sequence.logits;
  EXPECT_THAT(without.values(), Pointwise(FloatNear(1e-5F), logits.values()));  // of order 1
  EXPECT_THAT(without.values(),
              ::testing::Not(Pointwise(FloatNear(1e-3F), inspection.sequence.logits.values())));
}

}  // namespace

}  // namespace tapehead::inline TAPEHEAD_PRECISION
