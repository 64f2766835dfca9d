// `tapehead heads --every-checkpoint`: since when each head does what it does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

class HeadHistory : public ::testing::Test {
 protected:
  std::string output(const Arguments& arguments) {
    const ProgramResult result = run_program(arguments, here.path());
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output;
  }

  TemporaryDirectory here;
};

// The role of a head, "decoder.layers.0.cross.2", at one step.
std::string role_at(const Json& moment, const std::string& name) {
  const std::size_t dot = name.rfind('.');
  for (const Json& attention : moment["attentions"]) {
    if (attention["attention"] == name.substr(0, dot)) {
      return attention["heads"][std::stoul(name.substr(dot + 1))]["role"];
    }
  }
  return "no such head";
}

TEST_F(HeadHistory, says_since_when_a_head_has_its_role) {
  // Long enough for some heads to get a role, with steps between that have none.
  output(tiny_training(
      "a", {"training.steps=120", "training.checkpoint_keep=20", "training.learning_rate=1e-2"}));
  const Json history = Json::parse(output({"heads", "a", "--every-checkpoint", "--json"}));
  ASSERT_EQ(history["steps"].size(), 12U);
  EXPECT_EQ(history["steps"][0]["step"], 10);
  const Json last = Json::parse(output({"heads", "a", "--checkpoint", "last", "--json"}));
  EXPECT_EQ(history["steps"].back()["attentions"], last["attentions"]);
  ASSERT_FALSE(history["roles"].empty());
  bool later = false;
  for (const Json& since : history["roles"]) {
    const std::string head = since["head"];
    for (std::size_t i = 0; i < history["steps"].size(); ++i) {
      const Json& moment = history["steps"][i];
      if (moment["step"] >= since["step"]) {
        EXPECT_EQ(role_at(moment, head), since["role"]) << head << " at " << moment["step"];
      } else if (history["steps"][i + 1]["step"] == since["step"]) {
        EXPECT_NE(role_at(moment, head), since["role"]) << head << " at " << moment["step"];
        later = true;
      }
    }
  }
  EXPECT_TRUE(later) << "no role began after the first checkpoint";
  EXPECT_THAT(output({"heads", "a", "--every-checkpoint", "--all"}),
              ::testing::AllOf(HasSubstr("12 checkpoints of steps 10 to 120"),
                               HasSubstr(" from step "), HasSubstr("step  answer\n")));
}

TEST_F(HeadHistory, needs_two_checkpoints) {
  output(tiny_training("a", {"training.checkpoint_keep=1"}));
  const ProgramResult one = run_program({"heads", "a", "--every-checkpoint"}, here.path());
  EXPECT_EQ(one.exit_code, 1);
  EXPECT_THAT(one.errors, HasSubstr("run a keeps 1 checkpoint of its steps, and a history needs "
                                    "two: train with training.checkpoint_keep"));
}

}  // namespace
}  // namespace tapehead
