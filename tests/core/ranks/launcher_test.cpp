// Which launcher started a process, from the environment variables that launchers set.
#include "core/ranks/launcher.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

Launched launched_with(const std::map<std::string, std::string>& variables,
                       Launcher preferred = Launcher::none) {
  return launched(preferred, [&](const char* name) {
    const auto variable = variables.find(name);
    return variable == variables.end() ? nullptr : variable->second.c_str();
  });
}

// Variables as shown by `mpirun -n 4 env` and `srun -n 4 env` of Open MPI 4.1, MPICH 4.0 and Slurm.
const std::map<std::string, std::string> by_openmpi{{"OMPI_COMM_WORLD_SIZE", "4"},
                                                    {"PMIX_RANK", "1"}};
const std::map<std::string, std::string> by_mpich{{"PMI_SIZE", "4"}, {"PMI_RANK", "1"}};
const std::map<std::string, std::string> by_pmix{{"PMIX_RANK", "1"}, {"SLURM_STEP_NUM_TASKS", "4"}};

TEST(Launcher, is_known_by_its_variables) {
  for (const auto& [variables, launcher] :
       {std::pair{by_openmpi, Launcher::openmpi}, std::pair{by_mpich, Launcher::mpich},
        std::pair{by_pmix, Launcher::openmpi}}) {
    const Launched start = launched_with(variables);
    EXPECT_EQ(start.by, launcher);
    EXPECT_EQ(start.ranks, 4);
  }
}

TEST(Launcher, is_none_where_nothing_is_set) {
  EXPECT_EQ(launched_with({{"SLURM_STEP_NUM_TASKS", "4"}}).by, Launcher::none);
  EXPECT_EQ(launched_with({}).ranks, 1);
}

TEST(Launcher, may_leave_the_number_of_ranks_to_the_library) {
  EXPECT_EQ(launched_with({{"PMIX_RANK", "0"}}).ranks, 0);
  EXPECT_EQ(launched_with({{"PMI_RANK", "0"}}).ranks, 0);
}

TEST(Launcher, is_the_program_s_own_where_two_are_set) {
  std::map<std::string, std::string> both = by_openmpi;
  both.insert(by_mpich.begin(), by_mpich.end());
  EXPECT_EQ(launched_with(both, Launcher::mpich).by, Launcher::mpich);
  EXPECT_EQ(launched_with(both, Launcher::openmpi).by, Launcher::openmpi);
  EXPECT_EQ(launched_with(by_mpich, Launcher::openmpi).by, Launcher::mpich);
}

}}  // namespace tapehead
