// Tests that run the program in their own directory or in a directory that the suite shares, also
// in sh commands as users write them: redirected, piped, with closed streams.
#pragma once

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead {

// A command line that must fail, its exit code, and what its message says among other things.
struct Refusal {
  CommandLine arguments;
  int exit_code;
  std::vector<std::string> says;
  std::string_view input = "";
};

class ProgramDirectory : public TemporaryDirectory {
 public:
  ProgramResult run(const CommandLine& arguments, std::string_view input = "") const {
    return run_program(arguments, path(), input);
  }
  // Standard output of a command that must succeed.
  std::string output(const CommandLine& arguments, std::string_view input = "") const {
    const ProgramResult result = run(arguments, input);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output;
  }
  // Standard error of a command that must succeed.
  std::string messages(const CommandLine& arguments, std::string_view input = "") const {
    const ProgramResult result = run(arguments, input);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.errors;
  }
  // Standard error of a command that must end with this exit code.
  std::string refusal(int exit_code, const CommandLine& arguments,
                      std::string_view input = "") const {
    const ProgramResult result = run(arguments, input);
    EXPECT_EQ(result.exit_code, exit_code) << result.output << result.errors;
    return result.errors;
  }
  void expect_refusals(const std::vector<Refusal>& refusals) const {
    for (const auto& [arguments, exit_code, says, input] : refusals) {
      SCOPED_TRACE(PrintToString(arguments));
      const std::string errors = refusal(exit_code, arguments, input);
      for (const std::string& part : says) {
        EXPECT_THAT(errors, HasSubstr(part));
      }
    }
  }
  // The JSON that a command prints, which must succeed.
  nlohmann::json json_of(const CommandLine& arguments, std::string_view input = "") const {
    return nlohmann::json::parse(output(arguments, input));
  }
  // Standard error of a command that must fail.
  std::string complaint(const CommandLine& arguments, std::string_view input = "") const {
    const ProgramResult result = run(arguments, input);
    EXPECT_THAT(result.exit_code, AnyOf(1, 2)) << result.output << result.errors;
    return result.errors;
  }
};

// A test that runs the program in its own directory.
class ProgramRuns : public Test, protected ProgramDirectory {
 protected:
  ProgramDirectory& here = *this;
};

// A suite whose tests share the files that `Suite::prepare()` makes, such as a trained run.
template <class Suite>
class SharedRuns : public Test {
  SharedRuns() = default;
  friend Suite;

 public:
  static void SetUpTestSuite() {
    here = std::make_unique<ProgramDirectory>();
    Suite::prepare();
  }
  static void TearDownTestSuite() { here.reset(); }

 protected:
  static inline std::unique_ptr<ProgramDirectory> here;
};

// Runs an sh command that finds the program in $TAPEHEAD.
inline ProgramResult run_shell(const std::string& command, const std::filesystem::path& directory) {
  return Program({"TAPEHEAD=" TAPEHEAD_PROGRAM, "/bin/sh", "-c", command}, directory,
                 "/usr/bin/env")
      .wait();
}

// Joins the words into one sh command.
inline std::string shell_command(const Arguments& words) {
  std::string command = "\"$TAPEHEAD\"";
  for (const std::string& word : words) {
    command += " '" + word + "'";
  }
  return command;
}

}  // namespace tapehead
