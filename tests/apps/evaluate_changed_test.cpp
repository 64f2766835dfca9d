// evaluate with another window length or another pattern than in training.
#include <nlohmann/json.hpp>

#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_training.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

class EvaluateChanged : public ProgramRuns {
 protected:
  void train(const std::string& run, Arguments overrides = {}) {
    for (const char* more : {"model.positions=none", "attention.positions=rotary",
                             "model.max_positions=60", "training.steps=4", "training.warmup=1"}) {
      overrides.emplace_back(more);
    }
    here.output(text_training(here, run, overrides, {}));
  }
  ProgramResult evaluate(const std::string& run, const Arguments& options) {
    return here.run(Arguments{"evaluate", run, "--split", "validation", "--json"} + options);
  }
  nlohmann::json evaluated(const std::string& run, const Arguments& options = {}) {
    const ProgramResult result = evaluate(run, options);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return nlohmann::json::parse(result.output);
  }
  std::string complaint(const Arguments& options) {
    const ProgramResult result = evaluate("a", options);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    return result.errors;
  }
  static Index last_position(const nlohmann::json& evaluation) {
    return evaluation["loss_by_position"].back()["last"].get<Index>();
  }
};

TEST_F(EvaluateChanged, reads_windows_of_the_length_asked_for) {
  train("a");
  const auto as_trained = evaluated("a");
  const Index context = last_position(as_trained);
  const auto longer = evaluated("a", {"--context", "60"});
  EXPECT_EQ(last_position(longer), 60);
  EXPECT_NE(longer["loss"], as_trained["loss"]);
  EXPECT_EQ(evaluated("a", {"--context", std::to_string(context)})["loss"], as_trained["loss"]);
}

TEST_F(EvaluateChanged, attends_as_a_model_that_has_the_pattern) {
  const std::string pattern = "sink_window 2 5";
  train("a");
  train("b", {"attention.pattern=" + pattern});
  EXPECT_EQ(evaluated("b", {"--pattern", pattern})["loss"], evaluated("b")["loss"]);
  EXPECT_NE(evaluated("b", {"--pattern", "full"})["loss"], evaluated("b")["loss"]);
  EXPECT_NE(evaluated("a", {"--pattern", pattern})["loss"], evaluated("a")["loss"]);
  EXPECT_EQ(evaluated("a", {"--pattern", "full"})["loss"], evaluated("a")["loss"]);
}

TEST_F(EvaluateChanged, refuses_what_the_run_cannot_do) {
  train("a");
  EXPECT_THAT(complaint({"--context", "61"}),
              AllOf(HasSubstr("error: --context: more tokens than the model has positions for"),
                    HasSubstr("(61; allowed: 1 to 60")));
  EXPECT_THAT(complaint({"--pattern", "windw 3"}),
              AllOf(HasSubstr("error: --pattern: no such pattern"), HasSubstr("windw 3"),
                    HasSubstr("sink_window SINKS BEFORE")));
  here.output(tiny_training("a_copy"));
  EXPECT_THAT(here.refusal(2, {"evaluate", "a_copy", "--context", "5"}),
              HasSubstr("--context: only running text is cut into windows"));
}

}}  // namespace tapehead
