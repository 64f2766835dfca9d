// Head gates from training to removal: logged, shown, removed, and trained further.
#include <nlohmann/json.hpp>

#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

// The penalty dominates training.
const Arguments with_gates{"attention.gates=l0",    "training.gate_penalty=30",
                           "training.gate_rate=50", "training.learning_rate=0.01",
                           "training.steps=60",     "evaluation.every=60"};

class Gates : public SharedRuns<Gates> {
 public:
  static void prepare() {
    here->output(tiny_training("gated", with_gates));
    here->output(tiny_training("plain"));
  }

 protected:
  static double loss_of(const std::string& name) {
    return nlohmann::json::parse(
        here->output({"evaluate", name, "--checkpoint", "best", "--json"}))["loss"];
  }
};

TEST_F(Gates, open_heads_are_in_the_metrics_and_the_penalty_is_not_in_the_loss) {
  std::istringstream lines(content_of(here->path() / "gated/metrics.jsonl"));
  std::vector<double> open;
  for (std::string line; std::getline(lines, line);) {
    const auto object = nlohmann::json::parse(line);
    if (!object.contains("split")) {
      open.push_back(object["open_heads"]);
      EXPECT_GE(object["penalty"], 0);
      EXPECT_LT(object["loss"], 30) << "twelve heads at 30 would be more";
    }
  }
  ASSERT_EQ(open.size(), 60U);
  EXPECT_GT(open.front(), 11);
  EXPECT_LT(open.back(), 6);
  EXPECT_THAT(content_of(here->path() / "plain/metrics.jsonl"), Not(HasSubstr("open_heads")));
}

TEST_F(Gates, are_shown) {
  const ProgramResult table = here->run({"heads", "gated"});
  EXPECT_THAT(table.output, HasSubstr("of 12 heads with gates are closed")) << table.errors;
  const auto object = nlohmann::json::parse(here->run({"heads", "gated", "--json"}).output);
  ASSERT_EQ(object["gates"].size(), 12U);
  EXPECT_EQ(object["gates"][0]["attention"], "encoder.layers.0.self");
  const double gate = object["gates"][0]["gate"];
  EXPECT_TRUE(gate >= 0 && gate <= 1);
  EXPECT_FALSE(
      nlohmann::json::parse(here->run({"heads", "plain", "--json"}).output).contains("gates"));
}

TEST_F(Gates, that_are_closed_go_without_a_change_and_the_rest_trains_on) {
  const ProgramResult pruned = here->run({"prune", "gated", "small", "--closed"});
  ASSERT_EQ(pruned.exit_code, 0) << pruned.errors;
  const auto gates = nlohmann::json::parse(here->run({"heads", "gated", "--json"}).output)["gates"];
  const auto closed =
      std::ranges::count_if(gates, [](const auto& head) { return head["gate"] == 0; });
  EXPECT_GT(closed, 6);
  EXPECT_THAT(pruned.output, HasSubstr("removed " + std::to_string(closed) + " of 12 heads"));
  EXPECT_NEAR(loss_of("small"), loss_of("gated"), 1e-5);
  here->output({"translate", "small"}, "3 4 5\n");
  here->output({"train", "small/config.yaml", "--set", "model.init_from=small", "--set",
                "training.steps=2", "--set", "training.warmup=0", "--run", "again"});
}

TEST_F(Gates, can_be_given_to_the_weights_of_a_model_without) {
  here->output(tiny_training(
      "tuned", {"attention.gates=l0", "model.init_from=plain", "training.learning_rate=0",
                "training.steps=1", "evaluation.every=1", "training.warmup=0"}));
  EXPECT_EQ(loss_of("tuned"), loss_of("plain"));
  EXPECT_THAT(here->refusal(1, tiny_training("back", {"model.init_from=gated"})),
              HasSubstr("encoder_self.gates: l0, not none)"));
}

TEST_F(Gates, that_there_are_not_cannot_be_closed) {
  EXPECT_THAT(here->refusal(2, {"prune", "plain", "none", "--closed"}),
              AllOf(HasSubstr("--closed"), HasSubstr("have no gates")));
  EXPECT_FALSE(std::filesystem::exists(here->path() / "none"));
}

}}  // namespace tapehead
