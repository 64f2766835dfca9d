// Tests that run the program in their own directory or in a directory that the suite shares.
#pragma once

#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead {

class ProgramDirectory : public TemporaryDirectory {
 public:
  ProgramResult run(const Arguments& arguments, std::string_view input = "") const {
    return run_program(arguments, path(), input);
  }
  // Standard output of a command that must succeed.
  std::string output(const Arguments& arguments, std::string_view input = "") const {
    const ProgramResult result = run(arguments, input);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output;
  }
  // Standard error of a command that must end with this exit code.
  std::string refusal(int exit_code, const Arguments& arguments,
                      std::string_view input = "") const {
    const ProgramResult result = run(arguments, input);
    EXPECT_EQ(result.exit_code, exit_code) << result.output << result.errors;
    return result.errors;
  }
  // Standard error of a command that must fail.
  std::string complaint(const Arguments& arguments, std::string_view input = "") const {
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

}  // namespace tapehead
