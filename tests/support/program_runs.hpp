// Tests that run the program in a directory of their own.
#pragma once

#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead {

class ProgramRuns : public Test {
 protected:
  ProgramResult run(const Arguments& arguments, std::string_view input = "") const {
    return run_program(arguments, here.path(), input);
  }
  std::string output(const Arguments& arguments, std::string_view input = "") const {
    const ProgramResult result = run(arguments, input);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output;
  }

  TemporaryDirectory here;
};

}  // namespace tapehead
