// Programs in a launch: as ranks with their own MPI library, alone, or not at all. A training on
// several ranks leaves the files of one process to the bit.
#include "core/product/product_unit.hpp"
#include "tests/support/corpus_training.hpp"
#include "tests/support/launched.hpp"
#include "tests/support/text_training.hpp"

namespace tapehead { namespace {

// Five shards, more than some runs have ranks; batches of 200 tokens may give fewer shards.
const std::string steps_of_two_batches =
    "training: {batch_lengths: mixed, batch_tokens: 200, accumulate: 2, shards: 5, steps: 8, "
    "schedule: constant, checkpoint_every: 4, average_last: 2}\n"
    "evaluation: {every: 4, decode_examples: 5, beam: 2}\nrun: {report: false}\n";

const std::string translation_config =
    "task: {name: parallel_text, vocabulary: 120, subword_dropout: 0.2" + pair_files() +
    "}\nmodel: {d_model: 16, layers: 1, dropout: 0.2}\n" + steps_of_two_batches;

const std::string symbols_config =
    "task: {name: copy, vocabulary: 11, min_length: 1, max_length: 9, train_examples: 300, "
    "validation_examples: 6, test_examples: 6}\nmodel: {d_model: 16, layers: 1, dropout: 0.2}\n" +
    steps_of_two_batches;

const Arguments eight_steps{"training.steps=8", "training.checkpoint_every=4",
                            "evaluation.every=4"};

struct RankCase {
  std::string name;
  std::string config;
  Arguments overrides{};
};

// Names the test.
std::ostream& operator<<(std::ostream& stream, const RankCase& of) { return stream << of.name; }

class RankTraining : public OpenMpiRuns, public WithParamInterface<RankCase> {
 protected:
  Arguments arguments(const std::string& run, int threads, const Arguments& options = {}) {
    here.write("task.yaml", GetParam().config);
    Arguments words{"train", "task.yaml", "--run", run, "--threads", std::to_string(threads)};
    set_options(words, GetParam().overrides);
    return words + options;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Of, RankTraining,
    Values(RankCase{"translation", translation_config},
           RankCase{"muon_and_bfloat16",
                    symbols_config,
                    {"training.optimizer=muon", "training.precision=bfloat16"}},
           RankCase{
               "gates",
               symbols_config,
               {"attention.gates=l0", "training.gate_penalty=0.1", "training.weight_decay=0.1"}},
           RankCase{"language_model", text_config(TAPEHEAD_FIXTURES "/text/train.en"), eight_steps},
           RankCase{"memory", text_config(TAPEHEAD_FIXTURES "/text/train.en"),
                    eight_steps + Arguments{"training.memory=30", "training.batch_tokens=120",
                                            "training.accumulate=2", "training.shards=5",
                                            "model.positions=none", "attention.positions=rotary",
                                            "model.max_positions=64"}}),
    [](const auto& test) { return test.param.name; });

TEST_P(RankTraining, leaves_the_run_of_one_process) {
  here.output(arguments("one", 2));
  run_on(2, arguments("two", 2));
  run_on(4, arguments("four", 1));
  run_on(3, arguments("three", 1, {"--set", "training.steps=4"}));
  run_on(2, arguments("three", 1, {"--resume", "--set", "training.steps=8"}));
  for (const std::string run : {"two", "four", "three"}) {
    expect_same_runs(here / "one", here / run);
  }
}

using RankTrainingStop = OpenMpiRuns;

// All ranks meet the number that is not finite; there is one message and one kept step.
TEST_F(RankTrainingStop, by_a_number_that_is_not_finite_is_said_once) {
  const ProgramResult result =
      run_on(3,
             tiny_training("diverges", {"training.learning_rate=1000", "training.optimizer=sgd",
                                        "training.clip_norm=0", "training.warmup=0"}),
             1);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("error: step "), HasSubstr("to repeat the step: ")));
  expect_once(result.errors, "error: ");
  EXPECT_TRUE(std::filesystem::exists(here / "diverges/replay.safetensors"));
}

TEST_F(RankTrainingStop, by_another_kernel_for_bfloat16_names_both) {
  if (product_units().size() == 1) {
    GTEST_SKIP() << "this CPU has one kernel for bfloat16";
  }
  const Arguments training =
      tiny_training("other", {"training.precision=bfloat16"}, {"--threads", "1"});
  const Arguments words =
      launch(openmpi, 1, program_for_openmpi, training) +
      Arguments{":", "-n", "1", "/usr/bin/env", "TAPEHEAD_PRODUCTS=plain", program_for_openmpi} +
      training;
  const ProgramResult result = Program(words, here.path(), "/usr/bin/env").wait();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, ContainsRegex("rank 1 .*has another kernel for bfloat16 than rank 0.* "
                                           "[(]plain, not [a-z0-9_]+[)]; all ranks must have"));
}

// Schedulers send this signal before the time is up, and the launcher forwards it.
TEST_F(RankTrainingStop, by_a_signal_saves_and_says_how_to_go_on) {
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

// Sets the variables of MPICH's mpirun, without the launcher itself.
ProgramResult run_as_of_mpich(const std::string& ranks, const std::string& program) {
  const ProgramDirectory here;
  return Program({"PMI_RANK=0", "PMI_SIZE=" + ranks, program, "config", "--reference"}, here.path(),
                 "/usr/bin/env")
      .wait();
}

TEST(PlainProgram, names_the_program_that_knows_the_launcher) {
  const ProgramResult result = run_as_of_mpich("2", TAPEHEAD_PROGRAM);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors,
              AllOf(StartsWith("error: a launcher of MPICH started several processes"),
                    HasSubstr("start tapehead-mpich instead, which `./dev build mpi` builds\n")));
  EXPECT_EQ(run_as_of_mpich("1", TAPEHEAD_PROGRAM).exit_code, 0);
}

using LaunchedProgram = OpenMpiRuns;

TEST_F(LaunchedProgram, by_another_library_or_as_the_plain_program_is_refused_by_name) {
  const ProgramResult other = run_as_of_mpich("2", program_for_openmpi);
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.errors, AllOf(HasSubstr("a launcher of MPICH"), HasSubstr("knows Open MPI"),
                                  HasSubstr("start tapehead-mpich instead")));
  const ProgramResult plain = run_launched(2, TAPEHEAD_PROGRAM, {"config"}, here.path());
  EXPECT_EQ(plain.exit_code, 2);
  EXPECT_THAT(plain.errors, HasSubstr("start tapehead-openmpi instead"));
}

TEST_F(LaunchedProgram, says_a_mistake_once_with_its_exit_code) {
  for (const auto& [command, error] :
       {std::pair("config", "error: config does not work with several ranks, "),
        {"train nowhere.yaml", "error: nowhere.yaml: no such file\n"}}) {
    const ProgramResult result = run_on(3, command, 2);
    EXPECT_EQ(result.output, "");
    expect_once(result.errors, error);
    EXPECT_THAT(result.errors, Not(HasSubstr("MPI_ABORT")));
  }
}

TEST_F(LaunchedProgram, as_one_rank_works_as_without_and_prints_help_once) {
  const ProgramResult launched = run_on(1, "config --reference");
  EXPECT_EQ(launched.output, here.output("config --reference"));
  EXPECT_EQ(launched.errors, "");
  expect_once(run_on(2, "train --help").output, "Train a model from a config file\n");
}

}}  // namespace tapehead
