// Ranks, each a thread: their final messages, the data that they share, and their share of the
// cores. Which launcher started a process, from the environment variables that launchers set.
#include "core/ranks/ranks.hpp"

#include <sched.h>

#include "core/kernel/workers.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/thread_ranks.hpp"

namespace tapehead { namespace {

using Ends = std::vector<std::optional<RankEnd>>;

RankEnd end_of(const Ends& ends) {
  Mail mail;
  return end_of_all(ThreadRanks(mail, 0, static_cast<Index>(ends.size())), ends);
}

const RankEnd good{};
const RankEnd config_error{.exit_code = 2, .message = "no such file"};
const RankEnd io_error{.exit_code = 1, .message = "no space"};
const RankEnd heard{.exit_code = 1, .message = "rank 1: no space", .by_others = true};

TEST(RankEnd, has_the_messages_of_all_ranks_once_and_names_them) {
  const RankEnd stopped{.exit_code = 143};
  struct Case {
    Ends ends;
    int exit_code;
    std::string line;
  };
  const std::vector<Case> cases{
      {{good, good}, 0, ""},
      {{stopped, stopped}, 143, ""},
      {{config_error, config_error, config_error}, 2, "error: no such file\n"},
      // Failed ranks are named unless the first one failed.
      {{good, io_error, io_error}, 1, "error: rank 1, rank 2: no space\n"},
      {{io_error, good, good}, 1, "error: no space\n"},
      {{config_error, io_error, config_error}, 2, "error: no such file\nerror: rank 1: no space\n"},
      // What ranks say about others counts only if these say nothing.
      {{heard, io_error, heard}, 1, "error: rank 1: no space\n"},
      {{heard, {}, heard}, 1, "error: rank 1: no space\n"},
      {{heard, config_error, heard}, 2, "error: rank 1: no such file\n"}};
  for (const auto& [ends, exit_code, line] : cases) {
    EXPECT_EQ(end_of(ends).exit_code, exit_code) << line;
    EXPECT_EQ(error_line(end_of(ends)), line);
  }
  EXPECT_EQ(error_line({.exit_code = 1, .message = "\x1b[31m"}), "error: \\x1b[31m\n");
}

TEST(RankSharing, each_rank_gets_the_parts_of_all_ranks) {
  run_ranks(3, [](Ranks& ranks) {
    const std::vector<std::size_t> begins{0, 2, 2, 5};  // rank 1 has no items
    std::vector<std::byte> all(5, std::byte{9});
    const auto mine = static_cast<std::size_t>(ranks.rank());
    for (std::size_t i = begins[mine]; i < begins[mine + 1]; ++i) {
      all[i] = static_cast<std::byte>(10 * mine + i);
    }
    share_parts(ranks, all, begins);
    EXPECT_THAT(
        all, ElementsAre(std::byte{0}, std::byte{1}, std::byte{22}, std::byte{23}, std::byte{24}));
  });
}

TEST(RankSharing, texts_and_values_come_by_rank_and_the_first_rank_decides) {
  run_ranks(3, [](Ranks& ranks) {
    const std::string mine(static_cast<std::size_t>(ranks.rank()), 'a');
    EXPECT_THAT(share_texts(ranks, mine), ElementsAre("", "a", "aa"));
    EXPECT_THAT(share_values(ranks, 0.5 * static_cast<double>(ranks.rank())),
                ElementsAre(0.0, 0.5, 1.0));
    EXPECT_EQ(value_of_first(ranks, 7 + ranks.rank()), 7);
    EXPECT_EQ(text_of_first(ranks, ranks.first() ? "long enough" : "short"), "long enough");
    EXPECT_EQ(text_of_first(ranks, ranks.first() ? "" : "not mine"), "");
  });
}

TEST(RankSharing, a_process_alone_has_what_it_has) {
  EXPECT_THAT(share_texts(alone(), "text"), ElementsAre("text"));
  EXPECT_THAT(share_values(alone(), 3), ElementsAre(3));
  EXPECT_EQ(value_of_first(alone(), 4), 4);
  EXPECT_EQ(text_of_first(alone(), "mine"), "mine");
}

TEST(DefaultThreads, are_divided_among_ranks_with_the_same_cores) {
  const Index cores = default_threads();
  EXPECT_EQ(default_thread_count(alone()).count, cores);
  run_ranks(2, [&](Ranks& ranks) {
    EXPECT_EQ(default_thread_count(ranks).count, std::max<Index>(1, cores / 2));
  });
  run_ranks(cores + 1, [](Ranks& ranks) { EXPECT_EQ(default_thread_count(ranks).count, 1); });
}

// Binds the calling thread to one core, as a launcher does with ranks.
void keep_one_core() {
  cpu_set_t allowed;
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  for (std::size_t core = 0; core < CPU_SETSIZE && CPU_COUNT(&allowed) > 1; ++core) {
    CPU_CLR(core, &allowed);
  }
  ::sched_setaffinity(0, sizeof allowed, &allowed);
}

TEST(DefaultThreads, are_for_the_cores_that_the_process_may_use) {
  ChildProcess bound([] {
    keep_one_core();
    return static_cast<int>(default_threads());
  });
  EXPECT_EQ(bound.wait(), 1);
}

TEST(DefaultThreads, are_not_divided_among_ranks_with_different_cores) {
  const Index cores = default_threads();
  run_ranks(2, [&](Ranks& ranks) {
    if (ranks.first()) {
      keep_one_core();
    }
    EXPECT_EQ(default_thread_count(ranks).count, ranks.first() ? 1 : cores);
  });
}

Launched launched_with(const std::map<std::string, std::string>& variables, Launcher preferred) {
  return launched(preferred, [&](const char* name) {
    const auto variable = variables.find(name);
    return variable == variables.end() ? nullptr : variable->second.c_str();
  });
}

using Variables = std::map<std::string, std::string>;

// Variables as shown by `mpirun -n 4 env` and `srun -n 4 env` of Open MPI 4.1, MPICH 4.0 and Slurm.
TEST(Launcher, is_known_by_its_variables) {
  const Variables openmpi{{"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "1"}};
  const Variables mpich{{"PMI_SIZE", "4"}, {"PMI_RANK", "1"}};
  const Variables pmix{{"PMIX_RANK", "1"}, {"SLURM_STEP_NUM_TASKS", "4"}};
  Variables both = openmpi;
  both.insert(mpich.begin(), mpich.end());
  struct Case {
    Variables variables;
    Launcher preferred;  // the program's own, which counts where two are set
    Launcher launcher;
    Index ranks;  // 0: the library knows
  };
  const std::vector<Case> cases{
      {openmpi, Launcher::none, Launcher::openmpi, 4},
      {mpich, Launcher::none, Launcher::mpich, 4},
      {pmix, Launcher::none, Launcher::openmpi, 4},
      {{{"SLURM_STEP_NUM_TASKS", "4"}}, Launcher::none, Launcher::none, 1},
      {{}, Launcher::none, Launcher::none, 1},
      {{{"PMIX_RANK", "0"}}, Launcher::none, Launcher::openmpi, 0},
      {{{"PMI_RANK", "0"}}, Launcher::none, Launcher::mpich, 0},
      {both, Launcher::mpich, Launcher::mpich, 4},
      {both, Launcher::openmpi, Launcher::openmpi, 4},
      {mpich, Launcher::openmpi, Launcher::mpich, 4}};
  for (const auto& [variables, preferred, launcher, ranks] : cases) {
    SCOPED_TRACE(fmt::format("{}, preferred {}", variables, static_cast<int>(preferred)));
    const Launched start = launched_with(variables, preferred);
    EXPECT_EQ(start.by, launcher);
    EXPECT_EQ(start.ranks, ranks);
  }
}

}}  // namespace tapehead
