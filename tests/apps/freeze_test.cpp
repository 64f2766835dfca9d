// training.freeze on the command line: frozen weights, resuming, and rejected values.
#include "core/files/tensor_file.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

const std::string frozen_options =
    "training.freeze=[source.embedding, \"*.self.value.*\", decoder.layers.0.*]";

bool same_bytes(const TensorFile& one, const TensorFile& other, const std::string& name) {
  return std::ranges::equal(one.entry(name).bytes, other.entry(name).bytes);
}

TEST(Freeze, keeps_weights_as_they_start_and_nothing_else) {
  const ProgramDirectory here;
  const ProgramResult result =
      here.run(tiny_training("a", {frozen_options, "training.optimizer=adamw",
                                   "training.weight_decay=0.1", "training.checkpoint_keep=all"}));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output + result.errors, HasSubstr(" trained\n"));
  const TensorFile early(step_checkpoint(here / "a", 10));
  const TensorFile late(step_checkpoint(here / "a", 40));
  for (const std::string name : {"source.embedding", "encoder.layers.0.self.value.weight",
                                 "decoder.layers.0.cross.key.weight"}) {
    EXPECT_TRUE(same_bytes(early, late, name)) << name;
    EXPECT_EQ(late.find("optimizer.first_moment." + name), nullptr) << name;
  }
  for (const std::string name : {"encoder.layers.0.self.key.weight", "target.embedding"}) {
    EXPECT_FALSE(same_bytes(early, late, name)) << name;
    EXPECT_NE(late.find("optimizer.first_moment." + name), nullptr) << name;
  }
}

// The learning rate must not depend on the last step, which the resume changes.
TEST(Freeze, is_resumed_to_the_bit) {
  const std::string constant = "training.schedule=constant";
  const ProgramDirectory here;
  here.output(tiny_training("whole", {frozen_options, constant}));
  ASSERT_EQ(
      here.run(tiny_training("cut", {frozen_options, constant, "training.steps=20"})).exit_code, 0);
  here.output(resumed_training("cut", {"training.steps=40"}));
  const TensorFile one(step_checkpoint(here / "whole", 40));
  const TensorFile other(step_checkpoint(here / "cut", 40));
  for (const std::string name : {"source.embedding", "encoder.layers.0.self.key.weight"}) {
    EXPECT_TRUE(same_bytes(one, other, name)) << name;
  }
}

TEST(Freeze, refuses_patterns_of_no_parameter_and_of_all) {
  const ProgramDirectory here;
  EXPECT_THAT(
      here.refusal(2, tiny_training("a", {"training.freeze=[encoder.layer.0.self.key.weight]"})),
      AllOf(HasSubstr("--set: training.freeze: the model has no parameter that "
                      "encoder.layer.0.self.key.weight matches"),
            HasSubstr("the nearest: encoder.layers.0.self.key.weight")));
  EXPECT_THAT(here.refusal(2, tiny_training("a", {"training.freeze=*"})),
              HasSubstr("training.freeze: it leaves no parameter to train"));
  EXPECT_FALSE(fs::exists(here / "a"));
}

}}  // namespace tapehead
