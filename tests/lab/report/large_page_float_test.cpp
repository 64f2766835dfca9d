// The page of a run with many heads and long sentences.
#include "lab/report/page.hpp"
#include "lab/report/run.hpp"
#include "tests/support/program.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// 24 attentions of 16 heads, in a model that takes little time.
TEST(LargePage, keeps_to_its_limit_and_says_what_it_leaves_out) {
  const TemporaryDirectory here;
  const ProgramResult trained = run_program(
      tiny_training("large", {"model.encoder_layers=22", "model.decoder_layers=1", "model.heads=16",
                              "task.train_examples=20", "task.validation_examples=3",
                              "task.test_examples=1", "task.min_length=66", "task.max_length=70",
                              "model.max_positions=128", "training.steps=2", "training.warmup=1",
                              "training.checkpoint_every=1", "training.checkpoint_keep=all"}),
      here.path());
  ASSERT_EQ(trained.exit_code, 0) << trained.errors;
  const Json report =
      report_run({.run = here / "large",
                  .effort = {.watched = 1, .importance = 0, .pruning = 0, .outputs = 5},
                  .every_checkpoint = true});
  EXPECT_LE(report_page(report).size(), most_page_bytes);
  ASSERT_EQ(report["sentences"].size(), 1U);
  const Json& sentence = report["sentences"][0];
  EXPECT_EQ(sentence["attentions"].size(), 24U);
  EXPECT_EQ(sentence["source_tokens"].size(), 45U);  // floor(sqrt(800,000 / 384))
  EXPECT_EQ(weights_of(sentence), 24 * 16 * 45 * 45);
  EXPECT_GE(sentence["source_length"], 66);
  EXPECT_EQ(sentence["without"].size(), 5U);
  EXPECT_EQ(sentence["kept"], 2);
  EXPECT_FALSE(sentence.contains("history")) << "it would have more than 800,000 weights";
  EXPECT_THAT(report["notes"].dump(),
              HasSubstr("3 sentences were chosen, but only the first 1 are shown"));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
