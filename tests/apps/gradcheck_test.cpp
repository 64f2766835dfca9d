// tapehead gradcheck: its output, its inputs, and its exit codes.
#include <nlohmann/json.hpp>

#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

ProgramResult gradcheck(const Arguments& more) {
  const ProgramDirectory here;
  return here.run(Arguments{"gradcheck", TAPEHEAD_SOURCE_DIR "/configs/copy.yaml"} + more);
}

TEST(GradcheckCommand, prints_a_row_for_each_parameter) {
  const ProgramResult result = gradcheck({});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, AllOf(HasSubstr("made small by "), HasSubstr(" model.d_model=16"),
                                   HasSubstr("direction error  verdict\n"),
                                   HasSubstr("decoder.layers.1.cross.query.weight   "),
                                   HasSubstr("all gradients are right\n")));
}

TEST(GradcheckCommand, leaves_options_that_are_set_alone) {
  const ProgramResult result = gradcheck(
      {"--set", "model.d_model=12", "--set", "model.heads=3", "--only", "decoder.norm.gain"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("decoder.norm.gain"), HasSubstr("(12)"), Not(HasSubstr("d_model="))));
}

// Layers that differ, from a config and after pruning.
TEST(GradcheckCommand, takes_any_config_that_trains) {
  const ProgramDirectory here;
  Arguments training{"train", TAPEHEAD_SOURCE_DIR "/configs/copy.yaml", "--run", "a",
                     "--no-report"};
  const std::vector<std::string> options{"model.layers=3",
                                         "model.d_model=16",
                                         "attention.heads=[2,1,2]",
                                         "training.steps=2",
                                         "training.warmup=1",
                                         "task.train_examples=200",
                                         "evaluation.decode_examples=2"};
  for (const std::string& option : options) {
    training.insert(training.end(), {"--set", option});
  }
  here.output(training);
  ASSERT_EQ(here.run({"prune", "a", "b", "--head", "encoder.layers.2.self.0", "--head",
                      "decoder.layers.0.cross.1"})
                .exit_code,
            0);
  for (const std::string run : {"a", "b"}) {
    EXPECT_THAT(here.output({"gradcheck", run + "/config.yaml", "--only", "*.cross.output.bias"}),
                HasSubstr("all gradients are right"));
  }
}

TEST(GradcheckCommand, checks_only_the_parameters_asked_for) {
  const ProgramResult result = gradcheck({"--only", "encoder.*.norm.*", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_TRUE(json.at("ok"));
  EXPECT_EQ(json.at("parameters").size(), 8U);  // 2 layers x 2 norms x (gain, bias)
  for (const auto& parameter : json.at("parameters")) {
    EXPECT_THAT(parameter.at("name"), MatchesRegex("encoder\\..*\\.norm\\.(gain|bias)"));
    EXPECT_EQ(parameter.at("shape"), nlohmann::json::array({16}));
    EXPECT_LT(parameter.at("error"), 1e-6);
    EXPECT_EQ(parameter.at("verdict"), "correct");
  }
}

TEST(GradcheckCommand, says_which_names_there_are) {
  const ProgramResult result = gradcheck({"--only", "dekoder.*"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("--only dekoder.*: no parameter has such a name"),
                                   HasSubstr("from target.embedding to decoder.norm.bias")));
}

// Without heads in cross-attention, the encoder has no effect on the loss.
TEST(GradcheckCommand, is_not_content_with_checking_nothing) {
  const Arguments no_heads{"--set", "attention.heads=0", "--only", "encoder.*"};
  const ProgramResult result = gradcheck(no_heads);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, Not(HasSubstr("all gradients are right")));
  EXPECT_THAT(result.errors, AllOf(HasSubstr("--only encoder.*: nothing to check"),
                                   HasSubstr("only attentions without heads would use them")));
}

TEST(GradcheckCommand, names_the_data_that_is_missing) {
  const ProgramDirectory here;
  EXPECT_THAT(here.refusal(1, {"gradcheck", TAPEHEAD_SOURCE_DIR "/configs/multi30k.yaml"}),
              HasSubstr("task.train_source: there is no file data/multi30k/train.en in "));
}

}}  // namespace tapehead
