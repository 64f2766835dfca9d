// Runs the program in sh commands as users write them: redirected, piped, with closed streams.
#pragma once

#include "tests/support/program.hpp"

namespace tapehead {

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
