// A decoder-only model: every command on runs works, and results are bit-identical for any threads
// and after a resume.
#include <nlohmann/json.hpp>

#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

class DecoderAlone : public ProgramRuns, public WithParamInterface<std::string> {
 protected:
  void train(const std::string& name, const Arguments& overrides = {},
             const Arguments& options = {}) {
    const Arguments all =
        Arguments{"model.family=decoder", "model.prefix=" + GetParam()} + overrides;
    output(tiny_training(name, all, options));
  }
};

INSTANTIATE_TEST_SUITE_P(Prefix, DecoderAlone, Values("causal", "full"),
                         [](const auto& test) { return test.param; });

TEST_P(DecoderAlone, has_the_same_bits_by_any_threads_and_through_a_resume) {
  train("a", {"training.schedule=constant"}, {"--threads", "1"});
  train("b", {"training.schedule=constant", "training.steps=20"}, {"--threads", "2"});
  output(resumed_training("b", {"training.steps=40"}, {"--threads", "3"}));
  expect_same_runs(here / "a", here / "b");
}

TEST_P(DecoderAlone, is_evaluated_decoded_examined_and_pruned) {
  train("a", {"run.report=true", "attention.gates=l0", "model.layers=2"});
  EXPECT_THAT(content_of(here / "a/log.txt"),
              AllOf(HasSubstr("decoder self-attention"), Not(HasSubstr("encoder self-attention")),
                    Not(HasSubstr("cross-attention"))));
  const auto evaluated = nlohmann::json::parse(output({"evaluate", "a", "--json"}));
  EXPECT_EQ(evaluated["examples"], 40);
  std::ofstream(here / "lines") << "1 2 3\n5\n";
  EXPECT_EQ(lines_of(output({"translate", "a", "--input", "lines"})).size(), 2U);
  const auto heads = nlohmann::json::parse(output({"heads", "a", "--importance", "--json"}));
  ASSERT_EQ(heads["attentions"].size(), 2U);
  EXPECT_EQ(heads["attentions"][0]["attention"], "decoder.layers.0.self");
  EXPECT_EQ(heads["attentions"][0]["relations"][0]["name"], "answer");
  output({"prune", "a", "b", "--head", "decoder.layers.0.self.2"});
  EXPECT_EQ(
      nlohmann::json::parse(output({"heads", "b", "--json"}))["attentions"][0]["heads"].size(), 3U);
  EXPECT_THAT(content_of(here / "a/report.html"),
              AllOf(HasSubstr("decoder.layers.0.self"), HasSubstr("\"2 layers, width 16\"")));
}

TEST_P(DecoderAlone, is_planned_and_has_right_gradients) {
  const Arguments model{"--set", "model.family=decoder",
                        "--set", "model.prefix=" + GetParam(),
                        "--set", "attention.positions=relative"};
  const auto with = [&model](Arguments arguments) {
    arguments.insert(arguments.end(), model.begin(), model.end());
    return arguments;
  };
  const std::string config = TAPEHEAD_SOURCE_DIR "/configs/copy.yaml";
  EXPECT_THAT(output(with({"plan", config})), HasSubstr("of them with a label"));
  EXPECT_THAT(output(with({"gradcheck", config})), HasSubstr("all gradients are right"));
}

}}  // namespace tapehead
