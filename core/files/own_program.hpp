// The program that runs, and how it is started again.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// The executable of this process, even where the system started the C library's loader and the
// loader loaded the executable, as in packages. Without /proc: "tapehead".
fs::path own_program();

// The file with this program's bytes, even if another file has taken its place since the start. If
// a loader loaded this program: the file that is in its place now.
fs::path running_file();

// What execve(2) takes.
struct StartCommand {
  fs::path file;
  std::vector<std::string> words;  // the program's name and its arguments
};

// The command that starts this program from its running_file(), or another program. If a loader
// loaded this program, the same loader loads the other program.
StartCommand start_again(std::vector<std::string> arguments, const fs::path& other = {});

}  // namespace tapehead
