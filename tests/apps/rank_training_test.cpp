// tapehead train on several ranks: the run's files are bit-identical to those of one process.
#include "tests/support/launched.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_training.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

// Five shards, more than some runs have ranks; batches of 200 tokens may give fewer shards.
const std::string steps_of_two_batches =
    "training: {batch_lengths: mixed, batch_tokens: 200, accumulate: 2, shards: 5, steps: 8, "
    "schedule: constant, checkpoint_every: 4, average_last: 2}\n"
    "evaluation: {every: 4, decode_examples: 5, beam: 2}\nrun: {report: false}\n";

std::string translation_config() {
  const std::string data = TAPEHEAD_FIXTURES "/text/";
  return "task: {name: parallel_text, vocabulary: 120, subword_dropout: 0.2, train_source: " +
         data + "train.en, train_target: " + data + "train.de, validation_source: " + data +
         "test.en, validation_target: " + data + "test.de, test_source: " + data +
         "test.en, test_target: " + data +
         "test.de}\nmodel: {d_model: 16, layers: 1, dropout: 0.2}\n" + steps_of_two_batches;
}

std::string symbols_config(const std::string& model) {
  return "task: {name: copy, vocabulary: 11, min_length: 1, max_length: 9, train_examples: 300, "
         "validation_examples: 6, test_examples: 6}\nmodel: {d_model: 16, layers: 1, dropout: 0.2" +
         model + "}\n" + steps_of_two_batches;
}

struct Case {
  std::string name;
  std::string config;
  Arguments overrides{};
};

// Names the test.
std::ostream& operator<<(std::ostream& stream, const Case& of) { return stream << of.name; }

class RankTraining : public ProgramRuns, public WithParamInterface<Case> {
 protected:
  void SetUp() override {
    if (!openmpi_is_there()) {
      GTEST_SKIP() << "Open MPI was not found when this was built";
    }
    std::ofstream(here / "task.yaml") << GetParam().config;
  }

  Arguments arguments(const std::string& run, int threads, const Arguments& options = {}) {
    Arguments words{"train", "task.yaml", "--run", run, "--threads", std::to_string(threads)};
    set_options(words, GetParam().overrides);
    words.insert(words.end(), options.begin(), options.end());
    return words;
  }
  void train_alone(const std::string& run) { here.output(arguments(run, 2)); }
  void train(const std::string& run, int ranks, int threads, const Arguments& options = {}) {
    const ProgramResult result =
        run_launched(ranks, program_for_openmpi, arguments(run, threads, options), here.path());
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Of, RankTraining,
    Values(Case{"translation", translation_config()},
           Case{"muon", symbols_config(""), {"training.optimizer=muon"}},
           Case{"gates",
                symbols_config(""),
                {"attention.gates=l0", "training.gate_penalty=0.1", "training.weight_decay=0.1"}},
           Case{"language_model",
                text_config(TAPEHEAD_FIXTURES "/text/train.en"),
                {"training.steps=8", "training.checkpoint_every=4", "evaluation.every=4"}},
           Case{"memory",
                text_config(TAPEHEAD_FIXTURES "/text/train.en"),
                {"training.steps=8", "training.checkpoint_every=4", "evaluation.every=4",
                 "training.memory=30", "training.batch_tokens=120", "training.accumulate=2",
                 "training.shards=5", "model.positions=none", "attention.positions=rotary",
                 "model.max_positions=64"}}),
    [](const auto& test) { return test.param.name; });

TEST_P(RankTraining, leaves_the_run_of_one_process) {
  train_alone("one");
  train("two", 2, 2);
  expect_same_runs(here / "one", here / "two");
  train("four", 4, 1);
  expect_same_runs(here / "one", here / "four");
}

TEST_P(RankTraining, goes_on_with_another_number_of_ranks) {
  train_alone("one");
  train("three", 3, 1, {"--set", "training.steps=4"});
  train("three", 2, 1, {"--resume", "--set", "training.steps=8"});
  expect_same_runs(here / "one", here / "three");
}

// All ranks meet the number that is not finite; there is one message and one kept step.
TEST(RankTrainingStop, by_a_number_that_is_not_finite_is_said_once) {
  if (!openmpi_is_there()) {
    GTEST_SKIP() << "Open MPI was not found when this was built";
  }
  const ProgramDirectory here;
  const ProgramResult result = run_launched(
      3, program_for_openmpi,
      tiny_training("diverges", {"training.learning_rate=1000", "training.optimizer=sgd",
                                 "training.clip_norm=0", "training.warmup=0"}),
      here.path());
  EXPECT_EQ(result.exit_code, 1);
  const std::size_t first = result.errors.find("error: step ");
  ASSERT_NE(first, std::string::npos) << result.errors;
  EXPECT_EQ(result.errors.find("error: ", first + 1), std::string::npos) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("to repeat the step: "));
  EXPECT_TRUE(std::filesystem::exists(here / "diverges/replay.safetensors"));
}

// Schedulers send this signal before the time is up, and the launcher forwards it.
TEST(RankTrainingStop, by_a_signal_saves_and_says_how_to_go_on) {
  if (!openmpi_is_there()) {
    GTEST_SKIP() << "Open MPI was not found when this was built";
  }
  const ProgramDirectory here;
  Program program(launch(openmpi, 2, program_for_openmpi,
                         tiny_training("stopped", {"training.steps=100000"}, {"--threads", "1"})),
                  here.path(), "/usr/bin/env");
  const auto lines = [&] {
    return lines_of(content_of(here / "stopped" / "metrics.jsonl")).size();
  };
  ASSERT_TRUE(wait_until([&] { return lines() > 10; }));
  program.kill(SIGUSR1);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGUSR1);
  EXPECT_THAT(result.errors, HasSubstr("continue with: mpirun.openmpi -n 2 "));
  const int step = static_cast<int>(lines());  // without lines of evaluations
  EXPECT_TRUE(std::filesystem::exists(step_checkpoint(here / "stopped", step - step / 21)));
}

}}  // namespace tapehead
