// Tests that train tiny runs in their own directory and resume them.
#pragma once

#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead {

class TinyRuns : public ProgramRuns {
 protected:
  ProgramResult train(const Arguments& arguments) {
    ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result;
  }
  ProgramResult resume(const std::string& name, const Arguments& overrides = {},
                       const Arguments& options = {}) {
    return run(resumed_training(name, overrides, options));
  }
  // The messages of a resume that must succeed.
  std::string resumed(const std::string& name = "a", const Arguments& overrides = {},
                      const Arguments& options = {}) {
    return messages(resumed_training(name, overrides, options));
  }
  void copy_run(const std::string& from, const std::string& to) const {
    std::filesystem::copy(here / from, here / to, std::filesystem::copy_options::recursive);
  }
};

}  // namespace tapehead
