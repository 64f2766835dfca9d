// Runs of former versions can be used and resumed. Each release stores some
// (scripts/make_fixtures.py release); the run of 0.1.0, which was not released, comes from commit
// 2d130da. expected.json holds the version's own output about the run.
#include "tests/support/program_runs.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// Other kinds of CPU round differently.
constexpr double tolerance = 1e-4;

class Releases : public ProgramRuns, public WithParamInterface<fs::path> {
 protected:
  Releases() { fs::copy(GetParam() / "run", run_, fs::copy_options::recursive); }

  nlohmann::json evaluated(const std::string& options = "") const {
    return json_of("evaluate run --json --split " + expected_["split"].get<std::string>() +
                   options);
  }

  fs::path run_ = here / "run";
  nlohmann::json expected_ = nlohmann::json::parse(std::ifstream(GetParam() / "expected.json"));
};

TEST_P(Releases, do_what_they_did_and_go_on_as_they_would_have) {
  const nlohmann::json found = evaluated();
  EXPECT_NEAR(found["loss"], expected_["loss"], tolerance);
  EXPECT_NEAR(found["token_accuracy"], expected_["token_accuracy"], tolerance);
  here.write("lines", expected_["lines"].get<std::string>());
  EXPECT_EQ(output(expected_["command"].get<Arguments>()), expected_["output"].get<std::string>());
  const nlohmann::json heads = json_of("heads run --json");
  std::vector<double> entropies;
  for (const nlohmann::json& attention : heads["attentions"]) {
    for (const nlohmann::json& head : attention["heads"]) {
      entropies.push_back(head["entropy"]);
    }
  }
  EXPECT_THAT(entropies,
              Pointwise(DoubleNear(tolerance), expected_["entropies"].get<std::vector<double>>()));
  const int end = newest_step(run_) + 10;
  output("train run/config.yaml --run run --resume --set training.steps=" + std::to_string(end));
  EXPECT_EQ(newest_step(run_), end);
  if (expected_.contains("loss_after_ten_steps")) {  // 0.1.0 did not store it
    EXPECT_NEAR(evaluated(" --checkpoint last")["loss"], expected_["loss_after_ten_steps"],
                tolerance);
  }
}

std::vector<fs::path> fixtures() {
  std::vector<fs::path> runs;
  for (const auto& version : fs::directory_iterator(TAPEHEAD_FIXTURES "/releases")) {
    for (const auto& run : fs::directory_iterator(version.path())) {
      runs.push_back(run.path());
    }
  }
  std::ranges::sort(runs);
  return runs;
}

INSTANTIATE_TEST_SUITE_P(Kept, Releases, ValuesIn(fixtures()), [](const auto& test) {
  std::string name =
      test.param.parent_path().filename().string() + "_" + test.param.filename().string();
  std::ranges::replace(name, '.', '_');
  return name;
});

}}  // namespace tapehead
