#include "core/isolated.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/open_file.hpp"

namespace tapehead {

namespace {

// The first byte of what the process sends.
constexpr char returned = '+';
constexpr char thrown = '-';

struct Pipe {
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw IoError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    ::close(ends[0]);
    close_writing();
  }
  void close_writing() {
    if (ends[1] >= 0) {
      ::close(ends[1]);
      ends[1] = -1;
    }
  }

  std::array<int, 2> ends{};
};

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
  return true;
}

std::string read_all(int file) {
  std::string bytes;
  std::array<char, 65536> chunk;
  ssize_t count = 1;
  while (count != 0) {
    count = ::read(file, chunk.data(), chunk.size());
    if (count < 0 && errno != EINTR) {
      throw IoError(fmt::format("cannot read from a process: {}", std::strerror(errno)));
    }
    bytes.append(chunk.data(), count < 0 ? 0 : static_cast<std::size_t>(count));
    count = count < 0 ? 1 : count;
  }
  return bytes;
}

// Without a trace of it but for its result: no core file, no output, and no life of its own.
void settle(int nowhere, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) {
    ::_exit(1);  // it died before that was set
  }
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal, SIG_DFL);
  }
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
}

[[noreturn]] void work_and_exit(const std::function<std::string()>& work, int to) {
  std::string message;
  try {
    message = returned + work();
  } catch (const std::exception& error) {
    message = std::string(1, thrown) + error.what();
  }
  ::_exit(write_all(to, message) ? 0 : 1);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("signal {} ({})", signal, strsignal(signal));
  }
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

}  // namespace

std::string isolated(const std::function<std::string()>& work) {
  Pipe pipe;
  const OpenFile nowhere("/dev/null", O_WRONLY);
  const pid_t parent = ::getpid();
  std::fflush(nullptr);  // or the process would write what waits here once more
  const pid_t process = ::fork();
  if (process < 0) {
    throw IoError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  if (process == 0) {
    settle(nowhere.descriptor(), parent);
    work_and_exit(work, pipe.ends[1]);
  }
  pipe.close_writing();
  const std::string message = read_all(pipe.ends[0]);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0 || message.empty()) {
    throw IsolatedEnd(how_it_ended(status));
  }
  if (message.front() == thrown) {
    throw DataError(message.substr(1));
  }
  return message.substr(1);
}

}  // namespace tapehead
