// Further test splits and example types: in the config, tables, JSON, record and sweep.
#include "tests/support/corpus_training.hpp"
#include "tests/support/program_runs.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class ExampleTypes : public ProgramRuns {
 protected:
  ExampleTypes() {
    for (const std::string split : {"train", "validation", "test", "gen"}) {
      for (const std::string side : {".en", ".de"}) {
        write_text(here / "data" / (split + side), corpus_lines());
      }
    }
    std::string types;  // of 60 lines
    for (int line = 0; line < 60; ++line) {
      types += line % 3 == 0 ? "odd\n" : "even\n";
    }
    write("data/gen.type", types);
    write_text(here / "text.yaml", corpus_config("data", "word"));
    set_options(options, {"task.further_tests=gen", "task.further_sources=data/gen.en",
                          "task.further_targets=[data/gen.de]", "task.further_types=data/gen.type",
                          "task.type_groups=[both = odd even]"});
  }

  // The shares of each type and of the group, which add up to the accuracy of the split.
  void expect_types(const nlohmann::json& split) const {
    ASSERT_EQ(split["types"].size(), 2U) << split;
    EXPECT_EQ(split["types"][0]["type"], "even");
    EXPECT_EQ(split["types"][0]["examples"], 40);
    EXPECT_EQ(split["types"][1]["type"], "odd");
    EXPECT_EQ(split["types"][1]["examples"], 20);
    const double even = split["types"][0]["sequence_accuracy"];
    const double odd = split["types"][1]["sequence_accuracy"];
    EXPECT_NEAR((40 * even + 20 * odd) / 60, split["sequence_accuracy"], 1e-12);
    ASSERT_EQ(split["type_groups"].size(), 1U);
    EXPECT_EQ(split["type_groups"][0]["group"], "both");
    EXPECT_EQ(split["type_groups"][0]["sequence_accuracy"], split["sequence_accuracy"]);
  }

  Arguments options;
};

TEST_F(ExampleTypes, are_in_the_table_the_json_and_the_record) {
  const ProgramResult trained = run(Arguments{"train", "text.yaml", "--run", "r"} + options);
  ASSERT_EQ(trained.exit_code, 0) << trained.errors;
  EXPECT_THAT(trained.output + trained.errors,
              AllOf(HasSubstr("sequences right"), HasSubstr("  gen    both")));
  const nlohmann::json record = nlohmann::json::parse(content_of(here / "r/record.json"));
  expect_types(record["end"]["tests"]["gen"]);
  EXPECT_FALSE(record["end"]["tests"]["test"].contains("types"));
  EXPECT_FALSE(record["end"]["tests"]["whole"].contains("types"));
  EXPECT_THAT(content_of(here / "r/metrics.jsonl"), Not(HasSubstr("\"types\"")));
  for (const std::string checkpoint : {"last", "best"}) {
    const Arguments evaluate{"evaluate", "r", "--checkpoint", checkpoint};
    EXPECT_THAT(output(evaluate),
                AllOf(HasSubstr("\n  gen    even"), HasSubstr("\n  gen    odd"),
                      HasSubstr("\n  gen    both"), Not(HasSubstr("\n  test   odd"))));
    expect_types(json_of(evaluate + Arguments{"--json"})["splits"]["gen"]);
    expect_types(json_of(evaluate + Arguments{"--json", "--split", "gen"}));
  }
}

TEST_F(ExampleTypes, a_run_finds_the_files_of_its_lists_elsewhere) {
  output(Arguments{"train", "text.yaml", "--run", "r", "--set", "training.steps=2"} + options);
  fs::create_directory(here / "moved");
  fs::rename(here / "r", here / "moved/r");
  fs::rename(here / "data", here / "moved/data");
  expect_types(json_of("evaluate moved/r --json --split gen"));
  fs::remove(here / "moved/data/gen.type");
  EXPECT_THAT(here.refusal(1, "evaluate moved/r"),
              HasSubstr("run moved/r: task.further_types[0]: there is neither "));
}

TEST_F(ExampleTypes, are_figures_of_a_sweep) {
  write_text(
      here / "sweep.yaml",
      "config: text.yaml\n"
      "set: {training.steps: 2, task.further_tests: gen, task.further_sources: data/gen.en,\n"
      "      task.further_targets: data/gen.de, task.further_types: data/gen.type,\n"
      "      task.type_groups: both = odd even}\n"
      "further_splits: [gen]\n"
      "show: [gen.both.sequence_accuracy, gen.odd.sequence_accuracy]\n");
  output("sweep sweep.yaml --run s");
  const nlohmann::json cell =
      nlohmann::json::parse(content_of(here / "s/results.json"))["cells"][0];
  EXPECT_EQ(cell["gen.both.sequence_accuracy"]["mean"], cell["gen.sequence_accuracy"]["mean"]);
  EXPECT_TRUE(cell["gen.odd.sequence_accuracy"]["mean"].is_number());
}

}}  // namespace tapehead
