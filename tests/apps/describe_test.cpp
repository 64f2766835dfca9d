// The output of `describe` for packages: manual pages and bash completion.
#include <regex>

#include "tests/support/shell.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

// The commands listed in the program's help.
std::set<std::string> listed_commands() {
  const std::string help = run_program({"--help"}, ".").output;
  std::set<std::string> commands;
  const std::regex line("\n  ([a-z]+) +[A-Z]");
  const auto begin = help.begin() + static_cast<std::ptrdiff_t>(help.find("\nSubcommands"));
  for (std::sregex_iterator one(begin, help.end(), line), none; one != none; ++one) {
    commands.insert((*one)[1]);
  }
  return commands;
}

// The completions in bash for these words, the last of which is incomplete.
std::string completed(const std::string& words) {
  const TemporaryDirectory here;
  return run_shell(
             "\"$TAPEHEAD\" describe bash > completion; exec bash -c '. ./completion; "
             "COMP_WORDS=(" +
                 words +
                 "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tapehead; "
                 "echo \"${COMPREPLY[*]}\"'",
             here.path())
      .output;
}

TEST(Describe, completes_commands_and_their_options) {
  EXPECT_EQ(completed("tapehead tr"), "train translate\n");
  EXPECT_EQ(completed("tapehead train --res"), "--resume\n");
  EXPECT_EQ(completed("tapehead gradcheck --o"), "--only\n");
  EXPECT_EQ(completed("tapehead train conf"), "\n");  // bash adds the files itself
}

TEST(Describe, knows_all_listed_commands) {
  const std::set<std::string> commands = listed_commands();
  EXPECT_GE(commands.size(), 16U);
  const std::string bash = run_program({"describe", "bash"}, ".").output;
  const std::string zsh = run_program({"describe", "zsh"}, ".").output;
  const std::string page = run_program({"describe", "man"}, ".").output;
  EXPECT_THAT(page, HasSubstr(".SH NAME\ntapehead \\- train small transformers"));
  for (const std::string& command : commands) {
    EXPECT_THAT(bash, HasSubstr("\n      " + command + ") words='")) << command;
    EXPECT_THAT(zsh, HasSubstr("\n    " + command + ")\n")) << command;
    EXPECT_THAT(page, HasSubstr(".B " + command + "\n")) << command;
    const std::string own = run_program({"describe", "man", command}, ".").output;
    EXPECT_THAT(own, HasSubstr(".SH NAME\ntapehead\\-" + command + " \\- ")) << command;
    EXPECT_THAT(own, HasSubstr("\\-\\-help")) << command;
  }
}

TEST(Describe, has_each_option_of_the_help) {
  const std::string help = run_program({"train", "--help"}, ".").output;
  const std::string page = run_program({"describe", "man", "train"}, ".").output;
  const std::string zsh = run_program({"describe", "zsh"}, ".").output;
  const std::regex option("\n  (?:-h,)?--([a-z-]+)");
  int options = 0;
  for (std::sregex_iterator one(help.begin(), help.end(), option), none; one != none; ++one) {
    const std::string name = (*one)[1];
    EXPECT_THAT(page, HasSubstr("\\-\\-" + std::regex_replace(name, std::regex("-"), "\\-")));
    EXPECT_THAT(zsh, HasSubstr("'*--" + name + "["));
    ++options;
  }
  EXPECT_GE(options, 8);
}

TEST(Describe, names_what_it_cannot_describe) {
  const ProgramResult command = run_program({"describe", "man", "nothing"}, ".");
  EXPECT_EQ(command.exit_code, 2);
  EXPECT_THAT(command.errors, HasSubstr("there is no command nothing"));
  EXPECT_EQ(run_program({"describe", "zsh", "train"}, ".").exit_code, 2);
  EXPECT_EQ(run_program({"describe", "fish"}, ".").exit_code, 2);
  EXPECT_THAT(run_program({"--help"}, ".").output, Not(HasSubstr("describe")));
}

}}  // namespace tapehead
