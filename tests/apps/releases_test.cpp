// Runs of former versions can be used and resumed. Each release stores some
// (scripts/make_fixtures.py release); the run of 0.1.0, which was not released, comes from commit
// 2d130da. expected.json holds the version's own output about the run.
#include <nlohmann/json.hpp>

#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class Releases : public TestWithParam<fs::path> {
 protected:
  Releases() { fs::copy(GetParam() / "run", run(), fs::copy_options::recursive); }

  fs::path run() const { return here_.path() / "run"; }

  std::string output_of(const Arguments& arguments) const { return here_.output(arguments); }
  nlohmann::json json_of(const Arguments& arguments) const {
    return nlohmann::json::parse(output_of(arguments));
  }

  ProgramDirectory here_;
  nlohmann::json expected_ = nlohmann::json::parse(std::ifstream(GetParam() / "expected.json"));
};

// Other kinds of CPU round differently.
constexpr double tolerance = 1e-4;

TEST_P(Releases, evaluate_as_they_did) {
  const nlohmann::json found =
      json_of({"evaluate", "run", "--split", expected_["split"], "--json"});
  EXPECT_NEAR(found["loss"], expected_["loss"], tolerance);
  EXPECT_NEAR(found["token_accuracy"], expected_["token_accuracy"], tolerance);
}

TEST_P(Releases, write_what_they_wrote) {
  std::ofstream(here_.path() / "lines") << expected_["lines"].get<std::string>();
  EXPECT_EQ(output_of(expected_["command"]), expected_["output"].get<std::string>());
}

TEST_P(Releases, have_the_heads_that_they_had) {
  const nlohmann::json found = json_of({"heads", "run", "--json"});
  std::vector<double> entropies;
  for (const nlohmann::json& attention : found["attentions"]) {
    for (const nlohmann::json& head : attention["heads"]) {
      entropies.push_back(head["entropy"]);
    }
  }
  EXPECT_THAT(entropies,
              Pointwise(DoubleNear(tolerance), expected_["entropies"].get<std::vector<double>>()));
}

Index newest_step(const fs::path& run) {
  Index step = 0;
  for (const auto& entry : fs::directory_iterator(run / "checkpoints")) {
    const std::string name = entry.path().stem().string();
    if (name.starts_with("step_")) {
      step = std::max(step, static_cast<Index>(std::stol(name.substr(5))));
    }
  }
  return step;
}

TEST_P(Releases, go_on_as_they_would_have) {
  const Index end = newest_step(run()) + 10;
  output_of({"train", "run/config.yaml", "--run", "run", "--resume", "--set",
             "training.steps=" + std::to_string(end)});
  EXPECT_EQ(newest_step(run()), end);
  if (expected_.contains("loss_after_ten_steps")) {  // 0.1.0 did not store it
    const nlohmann::json found = json_of(
        {"evaluate", "run", "--checkpoint", "last", "--split", expected_["split"], "--json"});
    EXPECT_NEAR(found["loss"], expected_["loss_after_ten_steps"], tolerance);
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
