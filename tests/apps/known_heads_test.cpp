// That a model which has learnt a task has the head that the task needs, and cannot do without.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead {
namespace {

using Json = nlohmann::json;

// Trains a config that ships, with the overrides, and asks the program about the run.
class KnownHeads : public ::testing::Test {
 protected:
  void train(const std::string& config, const Arguments& overrides) {
    Arguments arguments{"train", TAPEHEAD_SOURCE_DIR "/configs/" + config + ".yaml", "--run", "a",
                        "--overwrite"};
    set_options(arguments, {"task.validation_examples=100", "task.test_examples=100"});
    set_options(arguments, overrides);
    const ProgramResult result = run_program(arguments, here_.path());
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  }
  Json ask(const std::string& command) const {
    return Json::parse(run_program({command, "a", "--json"}, here_.path()).output);
  }
  double token_accuracy() const { return ask("evaluate")["token_accuracy"]; }
  // The decoder's attention to the source.
  Json across() const {
    const Json report = ask("heads");
    for (const Json& attention : report["attentions"]) {
      if (attention["attention"] == "decoder.layers.0.cross") {
        return attention;
      }
    }
    return {};
  }

 private:
  TemporaryDirectory here_;
};

TEST_F(KnownHeads, previous_token_has_a_head_that_looks_one_back) {
  train("previous_token", {"training.steps=300", "evaluation.every=300"});
  const Json attention = across();
  const Json& heads = attention["heads"];
  ASSERT_EQ(heads.size(), 1U);
  EXPECT_EQ(heads[0]["offset"], -1) << heads[0].dump();
  const Json& previous = attention["relations"][0];
  EXPECT_EQ(previous["offset"], -1) << "that is the relation";
  EXPECT_EQ(previous["offset_share"], 1);
  EXPECT_GT(previous["agreement"][0], 0.7) << previous.dump();
  EXPECT_GT(heads[0]["offset_share"], 0.7) << "the row that predicts the end mark looks elsewhere";
}

TEST_F(KnownHeads, two_offsets_has_a_head_at_either_and_fails_with_one) {
  const Arguments shorter{"training.steps=1000", "evaluation.every=1000"};
  train("two_offsets", shorter);
  const Json attention = across();
  const Json& heads = attention["heads"];
  ASSERT_EQ(heads.size(), 2U);
  for (const Json& relation : attention["relations"]) {  // each is one head's
    const double first = relation["agreement"][0];
    const double second = relation["agreement"][1];
    EXPECT_GT(std::max(first, second), 0.7) << relation.dump();
    EXPECT_LT(std::min(first, second), 0.3) << relation.dump();
  }
  std::set<int> offsets;
  for (const Json& head : heads) {
    EXPECT_GT(head["offset_share"], 0.7) << head.dump();
    offsets.insert(head["offset"].get<int>());
  }
  EXPECT_EQ(offsets, (std::set<int>{1, 6}));  // those of the config
  EXPECT_GT(token_accuracy(), 0.95);

  train("two_offsets", {shorter[0], shorter[1], "model.heads=1"});
  EXPECT_LT(token_accuracy(), 0.5);
}

}  // namespace
}  // namespace tapehead
