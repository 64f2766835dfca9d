// Language models with a memory: bit-identical for any threads and after a resume, evaluation in
// lanes, and incompatible options rejected by name.
#include <nlohmann/json.hpp>

#include "core/files/files.hpp"
#include "core/files/tensor_file.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_training.hpp"

namespace tapehead { namespace {

class Memory : public ProgramRuns {
 protected:
  static Arguments with(Arguments overrides) {
    for (const char* more :
         {"model.positions=none", "attention.positions=alibi", "model.max_positions=80",
          "training.memory=30", "training.batch_tokens=144", "training.accumulate=2",
          "training.schedule=constant"}) {
      overrides.insert(overrides.begin(), more);
    }
    return overrides;
  }
  std::string output(const Arguments& arguments) {
    const ProgramResult result = here.run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output + result.errors;
  }
  std::string train(const std::string& run, const Arguments& overrides = {},
                    const Arguments& options = {}) {
    return output(text_training(here, run, with(overrides), options));
  }
  std::string complaint(const Arguments& overrides) {
    const ProgramResult result = here.run(text_training(here, "refused", with(overrides)));
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    EXPECT_FALSE(std::filesystem::exists(here / "refused"));
    return result.errors;
  }
  nlohmann::json evaluated(const std::string& run, const Arguments& options = {}) {
    const Arguments arguments =
        Arguments{"evaluate", run, "--split", "validation", "--json"} + options;
    return nlohmann::json::parse(here.output(arguments));
  }

  static Index tokens_of(const nlohmann::json& evaluation) {
    Index tokens = 0;
    for (const auto& range : evaluation["loss_by_position"]) {
      tokens += range["tokens"].get<Index>();
    }
    return tokens;
  }
};

// Step 20 is inside an epoch; lanes have 26 or 27 windows.
TEST_F(Memory, is_kept_through_a_resume_by_any_threads) {
  train("a", {}, {"--threads", "1"});
  train("b", {"training.steps=20"}, {"--threads", "2"});
  Arguments resumed{"train", "a.yaml", "--run", "b", "--resume", "--threads", "3"};
  set_options(resumed, {"training.steps=40"});
  output(resumed);
  expect_same_runs(here / "a", here / "b");
}

TEST_F(Memory, of_other_rows_begins_with_the_next_epoch) {
  train("a", {"training.steps=15"});
  Arguments resumed{"train", "a.yaml", "--run", "a", "--resume"};
  set_options(resumed, {"training.steps=20", "training.memory=12"});
  EXPECT_THAT(output(resumed),
              AllOf(HasSubstr("memory 12, accumulate 2"), HasSubstr("memory 30, accumulate 2"),
                    HasSubstr("the rest of epoch 1 is skipped")));
  const TensorFile last(here / "a/checkpoints/step_00000020.safetensors");
  // 2 batches of 6 lanes, 1 layer, 12 rows, width 16
  EXPECT_EQ(last.entry("lanes.memory").shape, (std::vector<Index>{12, 1, 12, 16}));
}

TEST_F(Memory, makes_a_difference_in_evaluation_that_is_the_same_by_any_threads) {
  train("a");
  const nlohmann::json remembered = evaluated("a", {"--threads", "1"});
  EXPECT_EQ(evaluated("a", {"--threads", "3"})["loss"], remembered["loss"]);
  EXPECT_EQ(evaluated("a", {"--memory", "30"})["loss"], remembered["loss"]);
  EXPECT_NE(evaluated("a", {"--memory", "0"})["loss"], remembered["loss"]);
  EXPECT_NE(evaluated("a", {"--memory", "55"})["loss"], remembered["loss"]);
  EXPECT_EQ(tokens_of(evaluated("a", {"--memory", "0"})), tokens_of(remembered));
}

TEST_F(Memory, and_windows_and_pattern_of_an_evaluation_fit_each_other) {
  train("a");
  const auto refused = [&](const Arguments& options) {
    const Arguments arguments = Arguments{"evaluate", "a", "--split", "validation"} + options;
    const ProgramResult result = here.run(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    return result.errors;
  };
  EXPECT_THAT(refused({"--pattern", "sink_window 2 5"}),
              HasSubstr("--pattern: a memory forgets the first tokens"));
  EXPECT_THAT(refused({"--context", "51"}), HasSubstr("(51; allowed: 1 to 50"));
  evaluated("a", {"--pattern", "sink_window 2 5", "--memory", "0"});
  evaluated("a", {"--context", "80", "--memory", "0"});
}

// Windows do not depend on the memory, so a text of several documents needs task.stream.
TEST_F(Memory, can_be_of_the_evaluation_alone) {
  const Arguments options{"training.memory=0", "evaluation.memory=30"};
  train("a", options);
  EXPECT_NE(evaluated("a", {"--memory", "0"})["loss"], evaluated("a")["loss"]);
  EXPECT_EQ(evaluated("a", {"--memory", "0"})["examples"], evaluated("a")["examples"]);
  Arguments lines = options;
  lines.emplace_back("task.documents=line");
  EXPECT_THAT(complaint(lines), AllOf(HasSubstr("evaluation.memory: a lane goes on"),
                                      HasSubstr("set task.stream: true")));
}

TEST_F(Memory, is_in_the_scores_of_a_sweep_as_in_an_evaluation) {
  train("a");
  output({"score-run", "a", "--split", "validation"});
  const std::string lines = read_file(here / "a/scores.jsonl");
  double sum = 0;
  Index tokens = 0;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    const auto json = nlohmann::json::parse(line);
    if (json.contains("negative_log_likelihood")) {
      sum += json["negative_log_likelihood"].get<double>();
      tokens += json["tokens"].get<Index>();
    }
  }
  const nlohmann::json whole = evaluated("a");
  EXPECT_EQ(tokens, tokens_of(whole));
  EXPECT_NEAR(sum / static_cast<double>(tokens), whole["loss"].get<double>(), 1e-5);
}

// Studies of heads, and their losses, read each text without a memory.
TEST_F(Memory, is_no_part_of_what_studies_of_heads_measure) {
  train("a");
  const double alone = evaluated("a", {"--memory", "0"})["loss"].get<double>();
  const auto json_of = [&](const Arguments& arguments) {
    return nlohmann::json::parse(here.output(arguments));
  };
  const auto heads = json_of({"heads", "a", "--importance", "--prune", "--json"});
  EXPECT_EQ(heads["importance"]["loss"].get<double>(), alone);
  EXPECT_EQ(heads["pruning"]["loss"].get<double>(), alone);
  const auto pruned = json_of({"prune", "a", "smaller", "--count", "0", "--json"});
  EXPECT_EQ(pruned["loss"]["before"].get<double>(), alone);
  EXPECT_EQ(pruned["loss"]["after"].get<double>(), alone);
}

TEST_F(Memory, generates_any_length_by_any_threads) {
  train("a");
  const Arguments generate{"generate", "a",       "--prompt", "A man",    "--max-tokens",
                           "200",      "--count", "2",        "--threads"};
  const auto by = [&](const char* threads) {
    Arguments arguments = generate;
    arguments.emplace_back(threads);
    return output(arguments);
  };
  const std::string text = by("1");
  EXPECT_EQ(text, by("2"));
  EXPECT_THAT(text, HasSubstr("became longer than the context of 54 tokens"));
}

TEST_F(Memory, that_does_not_fit_is_refused) {
  EXPECT_THAT(complaint({"model.positions=sinusoidal"}),
              AllOf(HasSubstr("training.memory"), HasSubstr("set model.positions: none")));
  EXPECT_THAT(complaint({"evaluation.stride=12"}),
              AllOf(HasSubstr("evaluation.stride"), HasSubstr("allowed: auto")));
  EXPECT_THAT(complaint({"training.memory=57"}), HasSubstr("80; allowed: 81 or more"));
  EXPECT_THAT(complaint({"evaluation.memory=60"}),
              AllOf(HasSubstr("evaluation.memory"), HasSubstr("80; allowed: 84 or more")));
  EXPECT_THAT(complaint({"training.batch_lengths=mixed"}), HasSubstr("allowed: alike"));
  EXPECT_THAT(complaint({"task.documents=line"}), HasSubstr("set task.stream: true"));
  EXPECT_THAT(complaint({"model.family=encoder"}), HasSubstr("model.family: decoder"));
}

TEST_F(Memory, needs_lanes_of_more_than_a_window) {
  EXPECT_THAT(
      here.refusal(1, text_training(here, "refused", with({"training.batch_tokens=24000"}))),
      AllOf(HasSubstr("in 2000 lanes"), HasSubstr("task.context: 24"),
            HasSubstr("lower training.batch_tokens")));
}

TEST_F(Memory, of_a_command_must_fit_the_model) {
  output(text_training(here, "absolute", {"training.steps=2"}));
  EXPECT_THAT(here.refusal(2, {"evaluate", "absolute", "--split", "validation", "--memory", "8"}),
              AllOf(HasSubstr("--memory"), HasSubstr("allowed: 0 to 0")));
}

}}  // namespace tapehead
