// Memory that is not there: a large allocation fails, or the address space is limited. A command
// says so, and can be repeated.
#include "tests/support/mutations.hpp"
#include "tests/support/proof.hpp"
#include "tests/support/spoiled_command.hpp"

namespace tapehead { namespace {

std::string says_memory(const std::string& said) {
  // The loader, or a library that starts a thread, has its own words.
  for (const std::string_view words :
       {"memory", "cannot start thread", "Resource temporarily unavailable", "shared object",
        "std::bad_alloc", "SentencePiece failed"}) {
    if (said.find(words) != std::string::npos) {
      return "";
    }
  }
  return "does not speak of memory";
}

class ProveMemory : public TestWithParam<Scenario> {
 protected:
  void SetUp() override {
    if (!runs_natively) {
      GTEST_SKIP() << "sanitizers and emulators take their own memory";
    }
  }
};

TEST_P(ProveMemory, that_cannot_be_allocated_is_told) {
  const SpoiledCommand command(GetParam());
  const fs::path failed = command.directory() / "failed";
  const Index step = proof_cases(37, 1);  // of the allocations
  Index number = 0;
  for (bool met = true; met && !HasFailure(); number += step) {
    command.start_again();
    const std::string settings =
        fmt::format("LD_PRELOAD={} TAPEHEAD_FAILING={} TAPEHEAD_FAILED={} ",
                    TAPEHEAD_FAILING_ALLOCATION, number, failed.string());
    const ProgramResult result =
        run_shell(settings + shell_command(command.command()), command.directory());
    met = fs::remove(failed);
    EXPECT_EQ(command.judged(result, says_memory), "") << "allocation " << number;
  }
  tell_figures(fmt::format("memory: {}: one in {} of {} large allocations failed", GetParam().name,
                           step, number));
}

TEST_P(ProveMemory, that_is_limited_is_told) {
  const SpoiledCommand command(GetParam());
  const Index step = proof_cases(256, 16);  // MiB
  Index limit = step;
  for (bool enough = false; !enough && !HasFailure(); limit += step) {
    command.start_again();
    const ProgramResult result =
        run_shell(fmt::format("ulimit -v {}; ", 1024 * limit) + shell_command(command.command()),
                  command.directory());
    enough = result.exit_code == 0;
    if (result.exit_code != 127) {  // the loader found no room for the program
      EXPECT_EQ(command.judged(result, says_memory), "") << limit << " MiB";
    }
  }
  tell_figures(fmt::format("memory: {}: works with {} MiB of addresses", GetParam().name, limit));
}

INSTANTIATE_TEST_SUITE_P(, ProveMemory, ValuesIn(scenarios()),
                         [](const auto& command) { return command.param.name; });

}}  // namespace tapehead
