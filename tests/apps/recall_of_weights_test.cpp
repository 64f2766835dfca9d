// scripts/recall_of_weights.py on a short training of configs/birth.yaml: a table and a picture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/program.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

TEST(RecallOfWeights, has_a_row_for_each_checkpoint_and_a_picture) {
  const TemporaryDirectory here;
  Arguments arguments{"train", TAPEHEAD_SOURCE_DIR "/configs/birth.yaml", "--run", "a"};
  set_options(arguments,
              {"task.text=" TAPEHEAD_FIXTURES "/text/train.en", "task.length=12",
               "task.train_examples=200", "task.validation_examples=20", "task.test_examples=20",
               "model.d_model=16", "training.steps=4", "training.batch_tokens=128",
               "training.checkpoint_every=2", "evaluation.every=2", "run.report=false"});
  const ProgramResult trained = run_program(arguments, here.path());
  ASSERT_EQ(trained.exit_code, 0) << trained.errors;
  EXPECT_THAT(trained.output + trained.errors,
              ContainsRegex("of [0-9]+ labels that the sequence itself decides"));
  const std::string script = TAPEHEAD_SOURCE_DIR "/scripts/recall_of_weights.py";
  const ProgramResult result = run_script(script, {"a", "--svg", "a.svg"}, here.path());
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::string share = " +[0-9]+[.][0-9]";
  const std::string row = share + share + share + share + share + "\n";
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("    step     W_O2     W_K2     W_K1  answers   others\n"),
                    ContainsRegex("\n +2" + row + " +4" + row + "a: W_O2 (never|from step)")));
  EXPECT_THAT(content_of(here / "a.svg"), AllOf(HasSubstr("<svg"), HasSubstr("training step")));
}

}}  // namespace tapehead
