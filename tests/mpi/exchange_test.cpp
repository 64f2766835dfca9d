// Ranks started by mpirun: exchanged bytes arrive, and a failing rank is named.
#include "tests/support/launched.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

// The lines of the program without those of mpirun.
std::string errors_of(const ProgramResult& result) {
  std::string errors;
  for (const std::string& line : lines_of(result.errors)) {
    errors += line.starts_with("error: ") ? line + "\n" : "";
  }
  return errors;
}

std::string late(int rank) {
  const std::string what = "error: no answer within the deadline of 1 s from rank ";
  return what + std::to_string(rank) + " \\([^ ]+\\): stopped, .*\n";
}
const std::string no_space = "error: rank 1 \\([^ ]+\\): no space for a test\n";
const std::string alike = "error: no good for any rank\n";

// Three ranks in a mode of tests/mpi/exchange_ranks.cpp.
struct LaunchedMode {
  std::string name;
  Arguments mode;
  int exit_code;
  std::string errors;  // regular expression
};
std::ostream& operator<<(std::ostream& out, const LaunchedMode& of) { return out << of.name; }

class MpiExchange : public TestWithParam<LaunchedMode> {};

TEST_P(MpiExchange, ends_as_it_should) {
  if (!openmpi_is_there()) {
    GTEST_SKIP() << "Open MPI was not found when this was built";
  }
  const TemporaryDirectory here;
  const auto program =
      std::filesystem::path(TAPEHEAD_PROGRAM).parent_path() / "tests/exchange-openmpi";
  const auto& [name, mode, exit_code, errors] = GetParam();
  const ProgramResult result = run_launched(3, program, mode, here.path());
  EXPECT_EQ(result.exit_code, exit_code);
  EXPECT_THAT(errors_of(result), MatchesRegex(errors));
  if (exit_code == 0) {
    EXPECT_EQ(result.errors, "");
  } else if (mode[0].starts_with("throw")) {
    EXPECT_THAT(result.errors, Not(HasSubstr("MPI_ABORT")));
  } else if (mode[0] == "signal") {
    EXPECT_THAT(result.errors, HasSubstr("rank 0 is done\n"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Modes, MpiExchange,
    Values(LaunchedMode{"random_messages_arrive", {"no-fault"}, 0, ""},
           // Rank 0 waits for rank 1, which waits for rank 2.
           LaunchedMode{"a_stopped_rank_is_named", {"stop", "2"}, 1, late(2)},
           LaunchedMode{"an_error_of_one_rank_is_said_once", {"throw", "1"}, 1, no_space},
           LaunchedMode{"an_error_of_all_ranks_is_said_once", {"throw-alike"}, 2, alike},
           // The exit code is that of the program.
           LaunchedMode{"a_rank_that_is_gone_ends_all", {"exit", "1"}, 3, ".*"},
           LaunchedMode{"all_may_work_longer_than_the_deadline", {"work", "1"}, 0, ""},
           // The late rank is rank 0, so another rank must report it.
           LaunchedMode{"one_may_not_work_longer", {"linger", "0"}, 1, late(0)},
           LaunchedMode{"after_a_signal_all_wait", {"signal"}, 128 + SIGTERM, ".*"}),
    [](const auto& of) { return of.param.name; });

}}  // namespace tapehead
