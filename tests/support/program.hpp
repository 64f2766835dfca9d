// The program as a child process: started in a directory, fed line by line, watched and waited for.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <sstream>
#include <system_error>
#include <thread>

#include "tests/support/child_process.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tapehead {

using Arguments = std::vector<std::string>;

inline Arguments operator+(Arguments words, const Arguments& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// The words of a command line: a list or, if no word has spaces, one text.
struct CommandLine : Arguments {
  using Arguments::Arguments;
  CommandLine() = default;
  CommandLine(Arguments words) : Arguments(std::move(words)) {}
  CommandLine(const char* words) : CommandLine(std::string(words)) {}
  CommandLine(const std::string& words) {
    std::istringstream stream(words);
    for (std::string word; stream >> word;) {
      push_back(word);
    }
  }
};

struct ProgramResult {
  int exit_code = 0;
  std::string output;
  std::string errors;
};

inline std::string content_of(const std::filesystem::path& file) {
  std::ostringstream content;
  content << std::ifstream(file, std::ios::binary).rdbuf();
  return content.str();
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

// Time limit of a program in seconds. Sanitizers, and the emulator that may run the arm64 tests,
// slow programs down many times.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__aarch64__)
inline constexpr unsigned longest_life = 3000;
inline constexpr bool runs_natively = false;
#else
inline constexpr bool runs_natively = true;
inline constexpr unsigned longest_life = 300;
#endif

// Checks the condition every millisecond; false if it never held.
template <class Condition>
bool wait_until(const Condition& condition) {
  constexpr std::chrono::seconds patience(30);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

class Program {
 public:
  // `prepare` is called in the child process before it becomes the program.
  Program(
      const CommandLine& arguments, const std::filesystem::path& directory,
      const std::string& file = TAPEHEAD_PROGRAM, const std::function<void()>& prepare = [] {})
      : input_(make_pipe()), child_([&] { return become(file, arguments, directory, prepare); }) {
    ::close(input_[0]);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { end_input(); }

  void kill(int signal) const { child_.kill(signal); }
  pid_t id() const { return child_.id(); }

  // Writes to the program's standard input.
  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::write(input_[1], text.data(), text.size());
      if (count < 0) {
        throw std::system_error(errno, std::generic_category(), "the program's input");
      }
      text.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  void end_input() {
    if (input_[1] >= 0) {
      ::close(input_[1]);
      input_[1] = -1;
    }
  }

  // The standard output so far.
  std::string output() const { return content_of(streams_ / "output"); }

  ProgramResult wait() {
    end_input();
    const int exit_code = child_.wait();
    return {exit_code, output(), content_of(streams_ / "errors")};
  }

 private:
  static std::array<int, 2> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
    }
    return ends;
  }

  int become(const std::string& file, const Arguments& arguments,
             const std::filesystem::path& directory, const std::function<void()>& prepare) const {
    ::alarm(longest_life);
    const int output = ::creat((streams_ / "output").c_str(), 0600);
    const int errors = ::creat((streams_ / "errors").c_str(), 0600);
    ::dup2(input_[0], STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(errors, STDERR_FILENO);
    std::filesystem::current_path(directory);
    std::vector<std::string> words{file};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) {
      pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    prepare();
    ::execv(file.c_str(), pointers.data());
    return 98;
  }

  TemporaryDirectory streams_;
  std::array<int, 2> input_;
  ChildProcess child_;
};

// Runs the program to its end. The input must be short: all of it is written before output is read.
inline ProgramResult run_program(const CommandLine& arguments,
                                 const std::filesystem::path& directory,
                                 std::string_view input = "") {
  Program program(arguments, directory);
  program.write(input);
  return program.wait();
}

// Runs a script that finds the program in $TAPEHEAD.
inline ProgramResult run_script(const std::string& script, const Arguments& arguments,
                                const std::filesystem::path& directory) {
  Arguments words{"TAPEHEAD=" TAPEHEAD_PROGRAM, script};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return Program(words, directory, "/usr/bin/env").wait();
}

}  // namespace tapehead
