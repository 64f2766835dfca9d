// The output of `describe` for packages: manual pages and bash completion.
#include <regex>

#include "tests/support/program_runs.hpp"

namespace tapehead { namespace {

std::string output_of(const Arguments& arguments) { return run_program(arguments, ".").output; }

// The first group of each match.
std::vector<std::string> matches_in(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  const std::sregex_token_iterator begin(text.begin(), text.end(), expression, 1);
  return {begin, std::sregex_token_iterator()};
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

TEST(Describe, knows_all_listed_commands_and_each_option_of_the_help) {
  const std::string help = output_of({"--help"});
  EXPECT_THAT(help, Not(HasSubstr("describe")));
  const std::string bash = output_of({"describe", "bash"});
  const std::string zsh = output_of({"describe", "zsh"});
  const std::string page = output_of({"describe", "man"});
  EXPECT_THAT(page, HasSubstr(".SH NAME\ntapehead \\- train small transformers"));
  const auto commands = matches_in(help.substr(help.find("\nSubcommands")), "\n  ([a-z]+) +[A-Z]");
  EXPECT_THAT(commands, SizeIs(Ge(16)));
  for (const std::string& command : commands) {
    EXPECT_THAT(bash, HasSubstr("\n      " + command + ") words='"));
    EXPECT_THAT(zsh, HasSubstr("\n    " + command + ")\n"));
    EXPECT_THAT(page, HasSubstr(".B " + command + "\n"));
    const std::string own = output_of({"describe", "man", command});
    EXPECT_THAT(own, HasSubstr(".SH NAME\ntapehead\\-" + command + " \\- "));
    const auto options = matches_in(output_of({command, "--help"}), "\n  (?:-h,)?--([a-z-]+)");
    EXPECT_THAT(options, AllOf(Contains("help"), SizeIs(Ge(command == "train" ? 8 : 1))));
    for (const std::string& option : options) {
      EXPECT_THAT(own, HasSubstr("\\-\\-" + std::regex_replace(option, std::regex("-"), "\\-")));
      EXPECT_THAT(zsh, HasSubstr("'*--" + option + "["));
    }
  }
}

}}  // namespace tapehead
