// Language models with a memory: bit-identical for any threads and after a resume, evaluation in
// lanes, and incompatible options rejected by name.
#include "core/files/tensor_file.hpp"
#include "tests/support/config_error.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/text_training.hpp"

namespace tapehead { namespace {

class Memory : public ProgramRuns {
 protected:
  static Arguments with(const Arguments& overrides) {
    return Arguments{"model.positions=none",      "attention.positions=alibi",
                     "model.max_positions=80",    "training.memory=30",
                     "training.batch_tokens=144", "training.accumulate=2",
                     "training.schedule=constant"} +
           overrides;
  }
  std::string output(const CommandLine& arguments) {
    const ProgramResult result = here.run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output + result.errors;
  }
  void train(const std::string& run, const Arguments& overrides = {},
             const Arguments& options = {}) {
    output(text_training(here, run, with(overrides), options));
  }
  nlohmann::json evaluated(const std::string& options = "") {
    return json_of("evaluate a --split validation --json " + options);
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
  output("train a.yaml --run b --resume --threads 3 --set training.steps=40");
  expect_same_runs(here / "a", here / "b");
}

TEST_F(Memory, of_other_rows_begins_with_the_next_epoch) {
  train("a", {"training.steps=15"});
  EXPECT_THAT(output("train a.yaml --run a --resume --set training.steps=20 "
                     "--set training.memory=12"),
              AllOf(HasSubstr("memory 12, accumulate 2"), HasSubstr("memory 30, accumulate 2"),
                    HasSubstr("the rest of epoch 1 is skipped")));
  const TensorFile last(here / "a/checkpoints/step_00000020.safetensors");
  // 2 batches of 6 lanes, 1 layer, 12 rows, width 16
  EXPECT_THAT(last.entry("lanes.memory").shape, ElementsAre(12, 1, 12, 16));
}

TEST_F(Memory, makes_a_difference_in_evaluation_that_is_the_same_by_any_threads) {
  train("a");
  const nlohmann::json remembered = evaluated("--threads 1");
  for (const auto& [options, same] : {std::pair("--threads 3", true),
                                      {"--memory 30", true},
                                      {"--memory 0", false},
                                      {"--memory 55", false}}) {
    EXPECT_EQ(evaluated(options)["loss"] == remembered["loss"], same) << options;
  }
  EXPECT_EQ(tokens_of(evaluated("--memory 0")), tokens_of(remembered));
  expect_refusals({{"evaluate a --split validation --context 51", 2, {"(51; allowed: 1 to 50"}},
                   {{"evaluate", "a", "--split", "validation", "--pattern", "sink_window 2 5"},
                    2,
                    {"--pattern: a memory forgets the first tokens"}}});
  json_of({"evaluate", "a", "--split", "validation", "--json", "--pattern", "sink_window 2 5",
           "--memory", "0"});
  evaluated("--context 80 --memory 0");
}

// Windows do not depend on the memory, so a text of several documents needs task.stream.
TEST_F(Memory, can_be_of_the_evaluation_alone) {
  const Arguments options{"training.memory=0", "evaluation.memory=30"};
  train("a", options);
  EXPECT_NE(evaluated("--memory 0")["loss"], evaluated()["loss"]);
  EXPECT_EQ(evaluated("--memory 0")["examples"], evaluated()["examples"]);
  const auto refused = [&](const Arguments& overrides) {
    return text_training(here, "refused", with(overrides));
  };
  const std::string stream = "set task.stream: true";
  expect_refusals({{refused({"task.documents=line"}), 2, {stream}},
                   {refused(options + Arguments{"task.documents=line"}),
                    2,
                    {"evaluation.memory: a lane continues", stream}}});
  EXPECT_FALSE(std::filesystem::exists(here / "refused"));
  output(text_training(here, "absolute", {"training.steps=2"}));
  expect_refusals(
      {{"evaluate absolute --split validation --memory 8", 2, {"--memory", "allowed: 0 to 0"}},
       {refused({"training.batch_tokens=24000"}),
        1,
        {"in 2000 lanes", "task.context: 24", "lower training.batch_tokens"}}});
}

TEST_F(Memory, is_in_the_scores_of_a_sweep_but_in_no_study_of_heads) {
  train("a");
  output("score-run a --split validation");
  double sum = 0;
  Index tokens = 0;
  for (const std::string& line : lines_of(content_of(here / "a/scores.jsonl"))) {
    const auto json = nlohmann::json::parse(line);
    if (json.contains("negative_log_likelihood")) {
      sum += json["negative_log_likelihood"].get<double>();
      tokens += json["tokens"].get<Index>();
    }
  }
  const nlohmann::json whole = evaluated();
  EXPECT_EQ(tokens, tokens_of(whole));
  EXPECT_NEAR(sum / static_cast<double>(tokens), whole["loss"].get<double>(), 1e-5);
  // Studies of heads, and their losses, read each text without a memory.
  const nlohmann::json alone = evaluated("--memory 0")["loss"];
  const auto heads = json_of("heads a --importance --prune --json");
  EXPECT_EQ(heads["importance"]["loss"], alone);
  EXPECT_EQ(heads["pruning"]["loss"], alone);
  const auto pruned = json_of("prune a smaller --count 0 --json");
  EXPECT_EQ(pruned["loss"]["before"], alone);
  EXPECT_EQ(pruned["loss"]["after"], alone);
}

TEST_F(Memory, generates_any_length_by_any_threads) {
  train("a");
  const auto by = [&](const std::string& threads) {
    return output({"generate", "a", "--prompt", "A man", "--max-tokens", "200", "--count", "2",
                   "--threads", threads});
  };
  const std::string text = by("1");
  EXPECT_EQ(text, by("2"));
  EXPECT_THAT(text, HasSubstr("became longer than the context of 54 tokens"));
}

TEST_F(Memory, that_does_not_fit_is_refused) {
  for (const auto& [override, option, remedy] :
       {std::tuple("model.positions=sinusoidal", "training.memory", "set model.positions: none"),
        {"evaluation.stride=12", "evaluation.stride", "allowed: auto"},
        {"training.memory=57", "", "80; allowed: 81 or more"},
        {"evaluation.memory=60", "evaluation.memory", "80; allowed: 84 or more"},
        {"training.batch_lengths=mixed", "", "allowed: alike"},
        {"model.family=encoder", "", "model.family: decoder"}}) {
    EXPECT_THAT(config_error(text_config("text"), with({override})),
                AllOf(HasSubstr(option), HasSubstr(remedy)));
  }
}

}}  // namespace tapehead
