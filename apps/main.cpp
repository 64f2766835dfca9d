// The program tapehead: parses the command line and turns errors into messages and exit codes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "apps/commands.hpp"
#include "core/errors.hpp"
#include "core/shown.hpp"
#include "train/config/nearest.hpp"

namespace {

int fail(const std::exception& error, int exit_code) {
  fmt::print(stderr, "error: {}\n", tapehead::printable(error.what()));
  return exit_code;
}

// What CLI11 has to say: help and version on standard output, or what is wrong.
int explain(const CLI::App& program, const CLI::ParseError& error) {
  std::ostringstream help;
  std::ostringstream problem;
  const bool good = program.exit(error, help, problem) == 0;
  fmt::print(stdout, "{}", help.str());
  fmt::print(stderr, "{}", tapehead::printable(problem.str()));
  return good ? 0 : 2;
}

// What was printed may still wait to be written.
int finish(int exit_code) {
  if (std::fflush(stdout) != 0) {
    fmt::print(stderr, "error: cannot write the output: {}\n", std::strerror(errno));
    return 1;
  }
  return exit_code;
}

// Throws ConfigError where the word is neither an option nor a command.
void expect_command(const CLI::App& program, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  if (word.starts_with('-') || std::ranges::find(names, word) != names.end()) {
    return;
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto meant = tapehead::nearest(word, candidates);
  throw tapehead::ConfigError(
      meant ? fmt::format("there is no command {}; did you mean {}?", tapehead::shown(word), *meant)
            : fmt::format("there is no command {}; there are {}", tapehead::shown(word),
                          fmt::join(names, ", ")));
}

}  // namespace

// Exit codes: 0 done, 1 something failed, 2 the config or the command line is wrong, 130 and 143
// stopped by a signal.
int main(int argc, char** argv) {
  CLI::App program("tapehead: train small transformers on a CPU");
  program.require_subcommand(1);
  program.set_version_flag("--version", TAPEHEAD_VERSION);
  tapehead::Outcome outcome;
  tapehead::add_train_command(program, outcome);
  tapehead::add_plan_command(program, outcome);
  tapehead::add_sweep_command(program, outcome);
  tapehead::add_evaluate_command(program, outcome);
  tapehead::add_translate_command(program, outcome);
  tapehead::add_heads_command(program, outcome);
  tapehead::add_report_command(program, outcome);
  tapehead::add_prune_command(program, outcome);
  tapehead::add_config_command(program, outcome);
  tapehead::add_gradcheck_command(program, outcome);
  tapehead::add_replay_command(program, outcome);
  try {
    if (argc > 1) {
      expect_command(program, argv[1]);
    }
    program.parse(argc, argv);
    return finish(outcome.exit_code);
  } catch (const CLI::ParseError& error) {
    return finish(explain(program, error));
  } catch (const tapehead::ConfigError& error) {
    return fail(error, 2);
  } catch (const std::bad_alloc&) {
    return fail(
        std::runtime_error("out of memory; a smaller model, smaller training.batch_tokens or "
                           "evaluation.batch_tokens, or fewer threads need less"),
        1);
  } catch (const std::exception& error) {
    return fail(error, 1);
  }
}
