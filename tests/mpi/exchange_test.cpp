// Ranks started by mpirun: exchanged bytes arrive, and a failing rank is named.
#include "tests/support/launched.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

class MpiExchange : public ProgramRuns {
 protected:
  void SetUp() override {
    if (!openmpi_is_there()) {
      GTEST_SKIP() << "Open MPI was not found when this was built";
    }
  }

  // Runs three ranks in a mode of tests/mpi/exchange_ranks.cpp.
  ProgramResult run(const Arguments& mode) {
    const auto build = std::filesystem::path(TAPEHEAD_PROGRAM).parent_path();
    return run_launched(3, build / "tests/exchange-openmpi", mode, here.path());
  }
};

// The lines of the program without those of mpirun.
std::string errors_of(const ProgramResult& result) {
  std::string errors;
  for (const std::string& line : lines_of(result.errors)) {
    errors += line.starts_with("error: ") ? line + "\n" : "";
  }
  return errors;
}

TEST_F(MpiExchange, random_messages_arrive_as_they_were_sent) {
  const ProgramResult result = run({"no-fault"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.errors, "");
}

// Rank 0 waits for rank 1, which waits for rank 2.
TEST_F(MpiExchange, a_stopped_rank_is_named_and_not_the_one_that_waits_for_it) {
  const ProgramResult result = run({"stop", "2"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(
      errors_of(result),
      MatchesRegex(
          "error: no answer within the deadline of 1 s from rank 2 \\([^ ]+\\): stopped, .*\n"));
}

TEST_F(MpiExchange, an_error_of_one_rank_ends_all_and_is_said_once_with_its_name) {
  const ProgramResult result = run({"throw", "1"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(errors_of(result), MatchesRegex("error: rank 1 \\([^ ]+\\): no space for a test\n"));
  EXPECT_THAT(result.errors, Not(HasSubstr("MPI_ABORT")));
}

TEST_F(MpiExchange, an_error_of_all_ranks_is_said_once) {
  const ProgramResult result = run({"throw-alike"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(errors_of(result), "error: no good for any rank\n");
  EXPECT_THAT(result.errors, Not(HasSubstr("MPI_ABORT")));
}

TEST_F(MpiExchange, a_rank_that_is_gone_ends_all) {
  EXPECT_EQ(run({"exit", "1"}).exit_code, 3);  // the exit code of the program
}

TEST_F(MpiExchange, what_takes_all_ranks_longer_than_the_deadline_is_no_fault) {
  const ProgramResult result = run({"work", "1"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.errors, "");
}

// The late rank is rank 0, so another rank must report it.
TEST_F(MpiExchange, what_takes_one_rank_longer_than_the_deadline_is_a_fault) {
  const ProgramResult result = run({"linger", "0"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(
      errors_of(result),
      MatchesRegex(
          "error: no answer within the deadline of 1 s from rank 0 \\([^ ]+\\): stopped, .*\n"));
}

TEST_F(MpiExchange, ranks_that_a_signal_stopped_wait_for_the_last_one) {
  const ProgramResult result = run({"signal"});
  EXPECT_EQ(result.exit_code, 143);  // 128 + SIGTERM
  EXPECT_THAT(result.errors, HasSubstr("rank 0 is done\n"));
}

}}  // namespace tapehead
