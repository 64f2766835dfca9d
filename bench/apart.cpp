#include "bench/apart.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <exception>
#include <string>

#include "core/errors.hpp"
#include "core/memory/process_memory.hpp"
#include "core/product/blas_kernels.hpp"

namespace tapehead {

namespace {

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count <= 0) {
      return;
    }
    done += static_cast<std::size_t>(count);
  }
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t count = 1; count > 0;) {
    count = read(file, part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(count > 0 ? count : 0));
  }
  return text;
}

// The child's whole life: exit code 0 with the result in the pipe, or 1 with the message.
[[noreturn]] void run_child(int file, const std::function<nlohmann::ordered_json()>& measure) {
  int code = 0;
  std::string said;
  try {
    prepare_blas();
    said = measure().dump();
  } catch (const std::exception& error) {
    said = error.what();
    code = 1;
  }
  write_all(file, said);
  _exit(code);
}

}  // namespace

nlohmann::ordered_json measure_apart(const std::function<nlohmann::ordered_json()>& measure) {
  std::array<int, 2> pipe_ends{};
  std::fflush(stdout);
  if (pipe(pipe_ends.data()) != 0) {
    throw IoError("cannot make a pipe for a measurement");
  }
  const auto [reading, writing] = pipe_ends;
  const pid_t child = fork();
  if (child < 0) {
    throw IoError("cannot start a process for a measurement");
  }
  if (child == 0) {
    close(reading);
    run_child(writing, measure);
  }
  close(writing);
  const std::string said = read_all(reading);
  close(reading);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    throw IoError(fmt::format("a measurement was ended by signal {}", WTERMSIG(status)));
  }
  if (status != 0) {
    throw IoError(said);
  }
  return nlohmann::ordered_json::parse(said);
}

double peak_memory_mb() { return static_cast<double>(process_memory().peak) / 1e6; }

}  // namespace tapehead
