// Each shipped experiment, from its file to its page, with few steps and little data.
#include "datasets/task_kind.hpp"
#include "datasets/text/parallel_options.hpp"
#include "lab/sweep/plan.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/tiny_training.hpp"
#include "train/options/application.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

std::vector<fs::path> experiments() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(TAPEHEAD_SOURCE_DIR "/configs/experiments")) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// Overrides that make an experiment small, without options that are axes of the experiment.
Arguments small(const SweepFile& sweep, const Config& config) {
  const std::string fixtures = TAPEHEAD_FIXTURES "/text/";
  const std::string_view task = config.task.kind().name;
  const Use use = use_of(config);
  std::map<std::string, std::string> values{
      {"training.steps", "2"}, {"training.warmup", "1"}, {"training.batch_tokens", "64"}};
  if (!use.windows && use.writes) {
    values["evaluation.max_extra_length"] = "2";
  }
  const bool parallel = task == "parallel_text";
  for (const std::string split : {"train", "validation", "test"}) {
    if (parallel) {
      values["task." + split + "_source"] = fixtures + split + ".en";
      values["task." + split + "_target"] = fixtures + split + ".de";
      values["task.vocabulary"] = "120";
    } else if (task == "labelled_text") {
      values["task." + split + "_tsv"] = TAPEHEAD_FIXTURES "/labelled/" + split + ".tsv";
    } else if (!use.windows && task != "modular_arithmetic") {  // it has all pairs of numbers
      values["task." + split + "_examples"] = split == "train" ? "60" : "4";
    }
  }
  if (use.windows) {
    values["task.train_text"] = fixtures + "train.en";
  } else if (task == "bigrams") {
    values["task.text"] = fixtures + "train.en";
  } else if (task == "modular_arithmetic") {
    values["task.modulus"] = "7";
  } else if (task == "brackets") {
    values["task.min_pairs"] = values["task.max_pairs"] = "20";
  }
  if (const auto* text = config.task.find<ParallelTextOptions>();
      text != nullptr && !text->further_tests.empty()) {
    values["task.further_sources"] = fixtures + "test.en";
    values["task.further_targets"] = fixtures + "test.de";
    values["task.further_types"] = "types";
  }
  for (const SweepAxis& axis : sweep.axes) {
    for (const SweepSetting& setting : axis.settings) {
      for (const Override& value : setting.values) {
        values.erase(value.section + "." + value.option);
      }
    }
  }
  for (const Override& value : sweep.fixed) {
    if (value.section + "." + value.option == "training.warmup" && value.text == "0") {
      values.erase("training.warmup");
    }
  }
  Arguments overrides{"seed=1"};
  for (const auto& [option, value] : values) {
    overrides.push_back(option + "=" + value);
  }
  return overrides;
}

// One type per line of test.en (30 lines), so that each type in the config's groups occurs.
std::string types_for(const Config& config) {
  std::vector<std::string> types;
  if (const auto* text = config.task.find<ParallelTextOptions>()) {
    for (const std::string& group : text->type_groups) {
      const std::vector<std::string> own = parse_type_group(group).types;
      types.insert(types.end(), own.begin(), own.end());
    }
  }
  std::string lines;
  for (std::size_t line = 0; line < 30 && !types.empty(); ++line) {
    lines += types[line % types.size()] + "\n";
  }
  return lines;
}

// In the repository's root, where paths in sweeps start.
class Experiments : public TestWithParam<fs::path> {
 protected:
  void SetUp() override { fs::current_path(TAPEHEAD_SOURCE_DIR); }
  void TearDown() override { fs::current_path(before_); }

 private:
  fs::path before_ = fs::current_path();
};

TEST_P(Experiments, go_from_the_file_to_the_page) {
  const ProgramDirectory here;
  fs::create_directory_symlink(TAPEHEAD_SOURCE_DIR "/configs", here / "configs");
  const SweepFile sweep = read_sweep(GetParam());
  const Config config = load_config(sweep.config).config;
  here.write("types", types_for(config));
  Arguments arguments{"sweep", GetParam().string(), "--run", "a"};
  set_options(arguments, small(sweep, config));
  here.output(arguments);
  const auto results = nlohmann::json::parse(content_of(here / "a/results.json"));
  std::size_t cells = 1;
  for (const SweepAxis& axis : sweep.axes) {
    cells *= axis.settings.size();
  }
  EXPECT_EQ(results["cells"].size(), cells);
  EXPECT_TRUE(fs::exists(here / "a/report.html"));
  for (const PlacedName& figure : sweep.show) {
    const auto is_there = [&](const nlohmann::json& cell) {
      return cell.contains(figure.name) && cell[figure.name]["mean"].is_number();
    };
    EXPECT_TRUE(std::ranges::any_of(results["cells"], is_there)) << figure.name;
  }
}

TEST_P(Experiments, say_what_is_expected_and_have_three_seeds_or_more) {
  const std::string text = content_of(GetParam());
  EXPECT_THAT(text, HasSubstr("# Expected before the runs"));
  EXPECT_THAT(text, ContainsRegex("\nseeds: (3|5|10)\n"));
}

// The script keeps the tables and the picture of a sweep.
TEST(ExperimentScripts, keep_what_a_sweep_found) {
  const ProgramDirectory here;
  fs::create_directory_symlink(TAPEHEAD_SOURCE_DIR "/configs", here / "configs");
  const std::string file = TAPEHEAD_SOURCE_DIR "/configs/experiments/06_matter_grammar.yaml";
  Arguments arguments{"sweep", file, "--run", "06"};
  set_options(arguments,
              {"seed=1", "training.steps=2", "training.warmup=1", "training.batch_tokens=64",
               "task.train_examples=60", "task.validation_examples=4", "task.test_examples=4",
               "evaluation.every=2", "evaluation.max_extra_length=2"});
  here.output(arguments);
  const ProgramResult kept = run_script(TAPEHEAD_SOURCE_DIR "/scripts/keep_experiment.py",
                                        {"06", "--to", "kept"}, here.path());
  ASSERT_EQ(kept.exit_code, 0) << kept.errors;
  EXPECT_THAT(
      content_of(here / "kept/06.csv"),
      AllOf(HasSubstr("gates,seeds,loss,loss ±,heads.closed,"), HasSubstr("penalty 0.02,1,")));
  EXPECT_THAT(content_of(here / "kept/06_runs.csv"),
              AllOf(HasSubstr("gates,seed,loss,heads.closed,"), HasSubstr("penalty 0.02,1,")));
  EXPECT_THAT(content_of(here / "kept/06.png"), HasSubstr("PNG"));
}

INSTANTIATE_TEST_SUITE_P(Shipped, Experiments, ValuesIn(experiments()),
                         [](const auto& test) { return "of_" + test.param.stem().string(); });

}}  // namespace tapehead
