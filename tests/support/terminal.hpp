// A pseudo-terminal, for tests of what a program writes to a terminal.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace tapehead {

// The master side of a new terminal.
inline int new_terminal() {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0) {
    throw std::runtime_error("there is no terminal to be had");
  }
  return master;
}

// What is written to the terminal until no process has it open, and closes it.
inline std::string read_terminal(int master) {
  std::string shown;
  std::array<char, 4096> some{};
  for (ssize_t read = 1; read > 0; shown.append(some.data(), static_cast<std::size_t>(read))) {
    read = std::max<ssize_t>(0, ::read(master, some.data(), some.size()));  // fails at the end
  }
  ::close(master);
  return shown;
}

}  // namespace tapehead
