// The common part of all programs: joins a launch, parses the command line, and turns errors
// into messages and exit codes.
#include <csignal>
#include <sstream>

#include "apps/commands.hpp"
#include "core/version.hpp"
#include "train/config/rows.hpp"
#include "train/output/logging.hpp"
#include "train/output/signals.hpp"

namespace tapehead {
namespace {

// All commands by their place in the help. Each command's file adds its command before main().
std::multimap<int, Command::Add>& all_commands() {
  static std::multimap<int, Command::Add> commands;
  return commands;
}

// The command with this name, or the program itself for an option. Throws ConfigError for any other
// word; the message only names commands that the help lists.
const CLI::App* command_of(const CLI::App& program, std::string_view word) {
  std::vector<std::string_view> names;
  for (const CLI::App* command : program.get_subcommands({})) {
    if (command->get_name() == word) {
      return command;
    }
    if (!command->get_group().empty()) {
      names.push_back(command->get_name());
    }
  }
  if (word.starts_with('-')) {
    return &program;
  }
  const auto meant = nearest(word, names);
  throw ConfigError(
      meant ? fmt::format("there is no command {}; did you mean {}?", shown(word), *meant)
            : fmt::format("there is no command {}; there are {}", shown(word),
                          fmt::join(names, ", ")));
}

// CLI11 takes the word after `--option=` as the option's value. Inserting an empty word there makes
// the empty text the value, as in other programs. Skips the words that are values of options, and
// all words after `--`.
void separate_empty_values(std::vector<std::string>& words, const CLI::App& command) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::size_t equals = words[i].find('=');
    const CLI::Option* option = words[i].starts_with("--")
                                    ? command.get_option_no_throw(words[i].substr(0, equals))
                                    : nullptr;
    if (option == nullptr || option->get_items_expected_min() == 0) {
      continue;
    }
    if (equals == words[i].size() - 1) {
      words[i].pop_back();
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, "");
    }
    i += words[i].find('=') == std::string::npos ? 1 : 0;
  }
}

int run(std::vector<std::string> words, Ranks& ranks) {
  CLI::App program("tapehead: train small transformers on a CPU");
  program.require_subcommand(1);
  program.set_version_flag("--version", version_text);
  for (const auto& [place, add] : all_commands()) {
    add(program, ranks);
  }
  try {
    if (words.size() > 1) {
      const std::string command = words[1];
      separate_empty_values(words, *command_of(program, command));
      expect_takes(ranks, command);
    }
    const std::vector<const char*> pointers = mapped(words, &std::string::c_str);
    program.parse(static_cast<int>(pointers.size()), pointers.data());
    return 0;
  } catch (const CLI::RuntimeError& error) {
    return error.get_exit_code();
  } catch (const CLI::ParseError& error) {
    std::ostringstream output;  // help
    std::ostringstream messages;
    const int code = program.exit(error, output, messages);
    if (ranks.first()) {
      write_output(output.str());
      write_message(printable(messages.str()));
    }
    return code == 0 ? 0 : 2;
  }
}

// Prepares the process, and returns the ranks of this launch.
Ranks& prepare() {
  open_closed_streams();  // must come before any file is opened
  outlive_file_limit();
  // If the parent process ignores SIGCHLD, waitpid(2) returns no exit codes of children.
  std::signal(SIGCHLD, SIG_DFL);
  start_logging();
  Ranks& ranks = join_launch();
  if (!ranks.first()) {
    stop_logging();
  }
  // Only bin/ of a package has a choice of kernels (choose_level.cpp).
  const char* const asked = std::getenv("TAPEHEAD_KERNELS");
  if (asked != nullptr && *asked != '\0' && asked != kernel_level()) {
    throw ConfigError("TAPEHEAD_KERNELS is {}, but the kernels of this program are {}",
                      shown(asked), kernel_level());
  }
  return ranks;
}

// The exit code that `action` returns; exceptions become exit codes and messages.
RankEnd end_of(const auto& action) {
  try {
    const int exit_code = action();
    flush_output();
    return {.exit_code = exit_code};
  } catch (const ConfigError& error) {
    return {.exit_code = 2, .message = error.what()};
  } catch (const RankError& error) {
    return {.exit_code = 1, .message = error.what(), .by_others = true};
  } catch (const std::exception& error) {
    return {.exit_code = 1, .message = plain_message(error)};
  }
}

}  // namespace

Command::Command(int place, Add add) { all_commands().emplace(place, std::move(add)); }

RankEnd run_command(std::vector<std::string> words, Ranks& ranks) {
  return end_of([&] { return run(std::move(words), ranks); });
}

}  // namespace tapehead

// Exit codes: 0 success; 1 failure; 2 wrong config or command line; 129, 130, 138 and 143 stopped
// by a signal.
int main(int argc, char** argv) {
  using namespace tapehead;
  Ranks* ranks = &alone();
  const RankEnd mine = end_of([&] {
    ranks = &prepare();
    return run({argv, argv + argc}, *ranks);
  });
  return ranks->end(mine);
}
