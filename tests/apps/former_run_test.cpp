// A run that an earlier version of the program made is still used and gone on with.
//
// tests/fixtures/former_run was made by commit 2d130da: 500 steps of a small copy task, with l0
// gates and relative positions in the encoder and one head of keys in the decoder. expected.json
// has what that program's `evaluate --json` and `heads --json` said of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead {
namespace {

const std::filesystem::path fixture = TAPEHEAD_FIXTURES "/former_run";

class FormerRun : public ::testing::Test {
 protected:
  FormerRun() {
    std::filesystem::copy(fixture / "run", here_.path() / "run",
                          std::filesystem::copy_options::recursive);
  }

  std::string output_of(const Arguments& arguments) const {
    const ProgramResult result = run_program(arguments, here_.path());
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output;
  }

  TemporaryDirectory here_;
  nlohmann::json expected_ = nlohmann::json::parse(std::ifstream(fixture / "expected.json"));
};

// Another kind of CPU rounds otherwise.
constexpr double tolerance = 1e-4;

TEST_F(FormerRun, evaluates_as_it_did) {
  const nlohmann::json found = nlohmann::json::parse(output_of({"evaluate", "run", "--json"}));
  EXPECT_NEAR(found["loss"], expected_["loss"], tolerance);
  EXPECT_NEAR(found["token_accuracy"], expected_["token_accuracy"], tolerance);
}

TEST_F(FormerRun, translates) {
  std::ofstream(here_.path() / "lines") << "3 1 2\n0 0 5 4\n\n5\n";
  EXPECT_EQ(output_of({"translate", "run", "--input", "lines"}), "3 1 2\n0 0 5 4\n\n5\n");
}

TEST_F(FormerRun, has_the_heads_that_it_had) {
  const nlohmann::json found = nlohmann::json::parse(output_of({"heads", "run", "--json"}));
  std::vector<double> entropies;
  for (const nlohmann::json& attention : found["attentions"]) {
    for (const nlohmann::json& head : attention["heads"]) {
      entropies.push_back(head["entropy"]);
    }
  }
  EXPECT_THAT(entropies, ::testing::Pointwise(::testing::DoubleNear(tolerance),
                                              expected_["entropies"].get<std::vector<double>>()));
}

TEST_F(FormerRun, goes_on) {
  output_of(
      {"train", "run/config.yaml", "--run", "run", "--resume", "--set", "training.steps=510"});
  EXPECT_TRUE(std::filesystem::exists(step_checkpoint(here_.path() / "run", 510)));
}

}  // namespace
}  // namespace tapehead
