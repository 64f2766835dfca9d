// The program in a command of sh, as users write them: redirected, piped, with streams closed.
#pragma once

#include "tests/support/program.hpp"

namespace tapehead {

// Runs a command of sh that finds the program in $TAPEHEAD.
inline ProgramResult run_shell(const std::string& command, const std::filesystem::path& directory) {
  return Program({"TAPEHEAD=" TAPEHEAD_PROGRAM, "/bin/sh", "-c", command}, directory,
                 "/usr/bin/env")
      .wait();
}

// The words as one command of sh.
inline std::string shell_command(const Arguments& words) {
  std::string command = "\"$TAPEHEAD\"";
  for (const std::string& word : words) {
    command += " '" + word + "'";
  }
  return command;
}

}  // namespace tapehead
