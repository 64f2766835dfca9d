// How programs take part in a launch: as ranks with their own MPI library, alone, or not at all.
#include "tests/support/launched.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

// Sets the variables of MPICH's mpirun, without the launcher itself.
ProgramResult run_as_of_mpich(const std::string& ranks, const std::string& program) {
  const ProgramDirectory here;
  return Program({"PMI_RANK=0", "PMI_SIZE=" + ranks, program, "config", "--reference"}, here.path(),
                 "/usr/bin/env")
      .wait();
}

class LaunchedProgram : public ProgramRuns {
 protected:
  void SetUp() override {
    if (!openmpi_is_there()) {
      GTEST_SKIP() << "Open MPI was not found when this was built";
    }
  }
  ProgramResult run(int ranks, const Arguments& arguments) {
    return run_launched(ranks, program_for_openmpi, arguments, here.path());
  }
};

TEST(PlainProgram, names_the_program_that_knows_the_launcher) {
  const ProgramResult result = run_as_of_mpich("2", TAPEHEAD_PROGRAM);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors,
            "error: a launcher of MPICH started several processes of this program, which does not "
            "know MPI; start tapehead-mpich instead, which `./dev build mpi` builds\n");
  EXPECT_EQ(run_as_of_mpich("1", TAPEHEAD_PROGRAM).exit_code, 0);
}

TEST_F(LaunchedProgram, by_the_other_library_is_refused_by_name) {
  const ProgramResult result = run_as_of_mpich("2", program_for_openmpi);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("a launcher of MPICH"), HasSubstr("knows Open MPI"),
                                   HasSubstr("start tapehead-mpich instead")));
}

TEST_F(LaunchedProgram, as_the_plain_program_by_open_mpi_is_refused) {
  const ProgramResult result = run_launched(2, TAPEHEAD_PROGRAM, {"config"}, here.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("start tapehead-openmpi instead"));
}

TEST_F(LaunchedProgram, a_command_that_ranks_cannot_share_is_refused_once) {
  const ProgramResult result = run(3, {"config"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.output, "");
  const std::string refusal = "error: config does not work with several ranks, ";
  const std::size_t first = result.errors.find(refusal);
  ASSERT_NE(first, std::string::npos) << result.errors;
  EXPECT_EQ(result.errors.find(refusal, first + 1), std::string::npos);
}

TEST_F(LaunchedProgram, a_wrong_config_is_said_once_with_its_exit_code) {
  const ProgramResult result = run(3, {"train", "nowhere.yaml"});
  EXPECT_EQ(result.exit_code, 2);
  const std::string error = "error: nowhere.yaml: no such file\n";
  const std::size_t first = result.errors.find(error);
  ASSERT_NE(first, std::string::npos) << result.errors;
  EXPECT_EQ(result.errors.find(error, first + 1), std::string::npos);
  EXPECT_THAT(result.errors, Not(HasSubstr("MPI_ABORT")));
}

TEST_F(LaunchedProgram, as_one_rank_works_as_without) {
  const ProgramResult launched = run(1, {"config", "--reference"});
  const ProgramResult alone = here.run({"config", "--reference"});
  EXPECT_EQ(launched.exit_code, 0);
  EXPECT_EQ(launched.output, alone.output);
  EXPECT_EQ(launched.errors, "");
}

TEST_F(LaunchedProgram, help_is_printed_once) {
  const ProgramResult help = run(2, {"train", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  const std::string title = "Train a model from a config file\n";
  EXPECT_EQ(help.output.find(title), help.output.rfind(title));
  EXPECT_THAT(help.output, HasSubstr(title));
}

}}  // namespace tapehead
