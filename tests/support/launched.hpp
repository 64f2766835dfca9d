// Programs that an MPI launcher starts as several ranks on this machine.
#pragma once

#include <sys/types.h>

#include <fstream>

#include "tests/support/program_runs.hpp"

namespace tapehead {

inline const std::string openmpi = "/usr/bin/mpirun.openmpi";

// The program linked with Open MPI, built only if the library is found.
inline const std::string program_for_openmpi = TAPEHEAD_PROGRAM "-openmpi";
inline bool openmpi_is_there() { return std::filesystem::exists(program_for_openmpi); }

// The mpirun command for any number of ranks and any user. Ignores memory leaks of Open MPI.
inline Arguments launch(const std::string& mpirun, int ranks, const std::string& program,
                        const Arguments& arguments) {
  Arguments words{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                  "ASAN_OPTIONS=detect_leaks=0", mpirun};
  if (mpirun == openmpi) {
    words.emplace_back("--oversubscribe");
  }
  words.insert(words.end(), {"-n", std::to_string(ranks), program});
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

inline ProgramResult run_launched(int ranks, const std::string& program, const Arguments& arguments,
                                  const std::filesystem::path& directory) {
  return Program(launch(openmpi, ranks, program, arguments), directory, "/usr/bin/env").wait();
}

// A test that is skipped without Open MPI.
class OpenMpiRuns : public ProgramRuns {
 protected:
  void SetUp() override {
    if (!openmpi_is_there()) {
      GTEST_SKIP() << "Open MPI was not found when this was built";
    }
  }
  // Expects this exit code.
  ProgramResult run_on(int ranks, const CommandLine& arguments, int exit_code = 0) const {
    ProgramResult result = run_launched(ranks, program_for_openmpi, arguments, path());
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    return result;
  }
};

// Several ranks must print this once.
inline void expect_once(const std::string& text, const std::string& part) {
  EXPECT_THAT(text, HasSubstr(part));
  EXPECT_EQ(text.find(part), text.rfind(part)) << text;
}

// A process that the launcher of Open MPI has started on this machine.
struct StartedRank {
  pid_t id;
  std::string rank;
};

inline std::vector<StartedRank> ranks_of(pid_t launcher) {
  std::vector<StartedRank> ranks;
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", launcher));
  for (pid_t id = 0; children >> id;) {
    const std::string variable = std::string("\0OMPI_COMM_WORLD_RANK=", 22);
    const std::string variables = '\0' + content_of(fmt::format("/proc/{}/environ", id));
    const std::size_t at = variables.find(variable);
    if (at != std::string::npos) {
      ranks.push_back({.id = id, .rank = variables.c_str() + at + variable.size()});
    }
  }
  return ranks;
}

}  // namespace tapehead
