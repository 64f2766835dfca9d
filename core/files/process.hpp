// Measures the time and the memory of this process, runs work in a separate process, and finds the
// program that runs and how it is started again.
#pragma once

#include <chrono>

#include "core/prelude.hpp"

namespace tapehead {

// Seconds, for measurements.
using Clock = std::chrono::steady_clock;

inline double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

inline double seconds_since(Clock::time_point begin) {
  return seconds_between(begin, Clock::now());
}

// The resident memory of this process, as the system counts it.
struct ProcessMemory {
  std::size_t resident = 0;  // bytes, now
  std::size_t peak = 0;      // bytes, the most so far
};

// Zeros if the system does not report it.
ProcessMemory process_memory();

// The separate process ended before its work was done. what() says how, such as "signal 11
// (Segmentation fault)" or "exit code 255".
struct IsolatedEnd : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Runs work in a separate process, for libraries that may end the process in which they run.
// Returns the result of `work`; its other changes and its output are lost. The separate process has
// only the calling thread, so `work` must not wait for other threads. Throws IsolatedEnd; DataError
// with the message of an exception that `work` throws; IoError if the process cannot be started.
std::string isolated(const std::function<std::string()>& work);

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
