// Each experiment that ships, from its file to its page, with a few steps on a little data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "datasets/task_kind.hpp"
#include "datasets/text/example_types.hpp"
#include "datasets/text/options.hpp"
#include "lab/sweep/plan.hpp"
#include "tests/support/program.hpp"
#include "tests/support/tiny_training.hpp"
#include "train/options/application.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::vector<fs::path> experiments() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(TAPEHEAD_SOURCE_DIR "/configs/experiments")) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::set<std::string> options_of(const SweepAxis& axis) {
  std::set<std::string> options;
  for (const SweepSetting& setting : axis.settings) {
    for (const Override& value : setting.values) {
      options.insert(value.section + "." + value.option);
    }
  }
  return options;
}

// Values as overrides, but for options that are axes of the experiment.
Arguments overrides_of(const SweepFile& sweep, std::map<std::string, std::string> values) {
  for (const SweepAxis& axis : sweep.axes) {
    for (const std::string& option : options_of(axis)) {
      values.erase(option);
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

// What makes it small.
Arguments small(const SweepFile& sweep, const Config& config) {
  std::map<std::string, std::string> values{{"training.steps", "2"},
                                            {"training.warmup", "1"},
                                            {"training.batch_tokens", "64"},
                                            {"evaluation.max_extra_length", "2"}};
  if (config.task.kind().of_text() || labels_in_one_pass(config)) {
    values.erase("evaluation.max_extra_length");
  }
  if (config.task.kind().of_text()) {
    values["task.train_text"] = TAPEHEAD_FIXTURES "/text/train.en";
    return overrides_of(sweep, std::move(values));
  }
  const bool bigrams = config.task.kind().name == "bigrams";
  if (bigrams) {
    values["task.text"] = TAPEHEAD_FIXTURES "/text/train.en";
  }
  const bool text = !bigrams && !config.task.kind().files.empty();
  for (const std::string split : {"train", "validation", "test"}) {
    if (text) {
      values["task." + split + "_source"] = TAPEHEAD_FIXTURES "/text/" + split + ".en";
      values["task." + split + "_target"] = TAPEHEAD_FIXTURES "/text/" + split + ".de";
      values["task.vocabulary"] = "120";
    } else {
      values["task." + split + "_examples"] = split == "train" ? "60" : "4";
    }
  }
  if (config.task.kind().name == "modular_arithmetic") {  // its examples are all pairs of numbers
    std::erase_if(values, [](const auto& value) { return value.first.ends_with("_examples"); });
    values["task.modulus"] = "7";
  }
  if (const auto* pairs = config.task.find<ParallelTextOptions>();
      pairs != nullptr && !pairs->further_tests.empty()) {
    values["task.further_sources"] = TAPEHEAD_FIXTURES "/text/test.en";
    values["task.further_targets"] = TAPEHEAD_FIXTURES "/text/test.de";
    values["task.further_types"] = "types";
  }
  if (config.task.kind().name == "brackets") {
    values["task.min_pairs"] = values["task.max_pairs"] = "20";
  }
  return overrides_of(sweep, std::move(values));
}

// A type for each of the 30 lines of test.en, so that each type in the config's groups occurs.
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

// Paths in sweeps begin at the root.
template <class Function>
auto from_root(const Function& function) {
  struct Return {
    fs::path here = fs::current_path();
    Return() { fs::current_path(TAPEHEAD_SOURCE_DIR); }
    Return(const Return&) = delete;
    Return& operator=(const Return&) = delete;
    ~Return() { fs::current_path(here); }
  };
  const Return to_where_it_was;
  return function();
}

class Experiments : public ::testing::TestWithParam<fs::path> {};

TEST_P(Experiments, go_from_the_file_to_the_page) {
  const TemporaryDirectory here;
  fs::create_directory_symlink(TAPEHEAD_SOURCE_DIR "/configs", here / "configs");
  const SweepFile sweep = from_root([] { return read_sweep(GetParam()); });
  const Config config = from_root([&] { return load_config(sweep.config).config; });
  std::ofstream(here / "types") << types_for(config);
  Arguments arguments{"sweep", GetParam().string(), "--run", "a"};
  set_options(arguments, small(sweep, config));
  const ProgramResult result = run_program(arguments, here.path());
  ASSERT_EQ(result.exit_code, 0) << result.errors;
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

// Which heads matter: the trainings that follow the sweep, and the table and picture that are kept.
TEST(ExperimentScripts, take_a_sweep_further) {
  const TemporaryDirectory here;
  fs::create_directory_symlink(TAPEHEAD_SOURCE_DIR "/configs", here / "configs");
  const std::string scripts = TAPEHEAD_SOURCE_DIR "/scripts/";
  const std::string file = TAPEHEAD_SOURCE_DIR "/configs/experiments/06_matter_grammar.yaml";
  Arguments arguments{"sweep", file, "--run", "06"};
  set_options(arguments,
              {"seed=1", "training.steps=2", "training.warmup=1", "training.batch_tokens=64",
               "task.train_examples=60", "task.validation_examples=4", "task.test_examples=4",
               "evaluation.every=2", "evaluation.max_extra_length=2"});
  ASSERT_EQ(run_program(arguments, here.path()).exit_code, 0);
  const ProgramResult pruned =
      run_script(scripts + "pruned_or_from_scratch.sh", {"06", "3", "4"}, here.path());
  ASSERT_EQ(pruned.exit_code, 0) << pruned.errors;
  EXPECT_EQ(content_of(here / "06/pruned.csv"), pruned.output);
  EXPECT_THAT(pruned.output,
              ContainsRegex("^seed,steps,whole,[^\n]*\n1,2(,[0-9]+[.][0-9]+){4}\n$"));
  // The same shape: 21 of 24 heads; from scratch for as many steps as the two trainings had.
  const auto heads = [&](const std::string& run) {
    const auto report = nlohmann::json::parse(
        run_program({"heads", "06/" + run + ",seed=1", "--json"}, here.path()).output);
    std::size_t count = 0;
    for (const auto& attention : report["attentions"]) {
      count += attention["heads"].size();
    }
    return count;
  };
  EXPECT_EQ(heads("trained_on"), 21U);
  EXPECT_EQ(heads("from_scratch"), 21U);
  EXPECT_TRUE(fs::exists(step_checkpoint(here / "06/trained_on,seed=1", 4)));
  EXPECT_TRUE(fs::exists(step_checkpoint(here / "06/from_scratch,seed=1", 6)));

  const ProgramResult kept =
      run_script(scripts + "keep_experiment.py", {"06", "--to", "kept"}, here.path());
  ASSERT_EQ(kept.exit_code, 0) << kept.errors;
  EXPECT_THAT(
      content_of(here / "kept/06.csv"),
      AllOf(HasSubstr("gates,seeds,loss,loss ±,heads.closed,"), HasSubstr("penalty 0.02,1,")));
  EXPECT_THAT(content_of(here / "kept/06_runs.csv"),
              AllOf(HasSubstr("gates,seed,loss,heads.closed,"), HasSubstr("penalty 0.02,1,")));
  EXPECT_THAT(content_of(here / "kept/06.png"), HasSubstr("PNG"));
}

// Sinks: each run of the sweep by three patterns, in windows of 1, 4 and 16 times its context.
TEST(ExperimentScripts, read_on) {
  const TemporaryDirectory here;
  fs::create_directory_symlink(TAPEHEAD_SOURCE_DIR "/configs", here / "configs");
  const std::string file = TAPEHEAD_SOURCE_DIR "/configs/experiments/21_sinks.yaml";
  Arguments arguments{"sweep", file, "--run", "21"};
  set_options(arguments, {"seed=1", "training.steps=2", "training.warmup=1", "task.context=8",
                          "training.batch_tokens=64", "evaluation.every=2",
                          std::string("task.train_text=") + TAPEHEAD_FIXTURES "/text/train.en"});
  ASSERT_EQ(run_program(arguments, here.path()).exit_code, 0);
  const ProgramResult read =
      run_script(TAPEHEAD_SOURCE_DIR "/scripts/read_on.sh", {"21"}, here.path());
  ASSERT_EQ(read.exit_code, 0) << read.errors;
  EXPECT_EQ(content_of(here / "21/read_on.csv"), read.output);
  const std::string loss = "[0-9]+[.][0-9]+\n";
  std::string rows = "^seed,pattern,context,loss\n";
  for (const std::string pattern : {"full", "window 7 0", "sink_window 4 3"}) {
    for (const std::string context : {"8", "32", "128"}) {
      rows += "1," + pattern + "," + context + "," + loss;
    }
  }
  EXPECT_THAT(read.output, ContainsRegex(rows + "$"));
  const auto evaluated = nlohmann::json::parse(
      run_program({"evaluate", "21/seed=1", "--split", "validation", "--json"}, here.path())
          .output);
  EXPECT_THAT(read.output, HasSubstr("\n1,full,8," + evaluated["loss"].dump() + "\n"));
}

// By hand: 99 of 100 tokens of a batch at step 2; of the validation at step 4, twice as late.
TEST(ExperimentScripts, say_when_the_validation_follows_the_training) {
  const TemporaryDirectory here;
  for (const std::string run : {"follows", "never"}) {
    fs::create_directory(here / run);
    std::ofstream metrics(here / run / "metrics.jsonl");
    for (int step = 1; step <= 4; ++step) {
      metrics << R"({"step":)" << step << R"(,"token_accuracy":)" << (step == 1 ? 0.5 : 0.99)
              << "}\n"
              << R"({"step":)" << step << R"(,"split":"validation","sequence_accuracy":)"
              << (step == 4 && run == "follows" ? 1.0 : 0.1) << "}\n";
    }
  }
  const ProgramResult told =
      run_script(TAPEHEAD_SOURCE_DIR "/scripts/first_steps.py", {"follows", "never"}, here.path());
  EXPECT_EQ(told.exit_code, 0) << told.errors;
  EXPECT_EQ(told.output, "run,training,validation,factor\nfollows,2,4,2.0\nnever,2,,\n");
}

INSTANTIATE_TEST_SUITE_P(Shipped, Experiments, ::testing::ValuesIn(experiments()),
                         [](const auto& test) { return "of_" + test.param.stem().string(); });

}}  // namespace tapehead
