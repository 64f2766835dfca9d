#include "core/files/process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "core/files/files.hpp"
#include "core/text.hpp"

namespace tapehead {

namespace {

// Reads a line such as "VmHWM:     12345 kB".
std::size_t bytes_in(const std::string& status, std::string_view name) {
  const std::size_t at = status.find(name);
  return at == std::string::npos ? 0 : 1024 * std::stoul(status.substr(at + name.size()));
}

// The first byte that the child process sends: whether `work` returned or threw.
constexpr char returned = '+';
constexpr char thrown = '-';

// The reading end and the writing end.
std::pair<OpenFile, OpenFile> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw IoError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  return {OpenFile(ends[0], "a pipe"), OpenFile(ends[1], "a pipe")};
}

// Prepares the child process: no core file, no output, and an end when its parent ends.
void settle(int nowhere, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) {
    ::_exit(1);  // the parent ended before the call of prctl
  }
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal, SIG_DFL);
  }
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (::dup2(nowhere, STDOUT_FILENO) < 0 || ::dup2(nowhere, STDERR_FILENO) < 0) {
    ::_exit(1);
  }
}

[[noreturn]] void work_and_exit(const std::function<std::string()>& work, OpenFile& to) {
  std::string message;
  try {
    message = returned + work();
  } catch (const std::exception& error) {
    message = thrown + plain_message(error);
  }
  try {
    to.write(message);
  } catch (const IoError&) {
    ::_exit(1);
  }
  ::_exit(0);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("signal {} ({})", signal, strsignal(signal));
  }
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

}  // namespace

ProcessMemory process_memory() {
  const std::string status = read_file("/proc/self/status");
  return {.resident = bytes_in(status, "VmRSS:"), .peak = bytes_in(status, "VmHWM:")};
}

std::string isolated(const std::function<std::string()>& work) {
  auto [reading, writing] = make_pipe();
  const OpenFile nowhere("/dev/null", O_WRONLY);
  const pid_t parent = ::getpid();
  std::fflush(nullptr);  // or the child would write the buffered text again
  const pid_t process = ::fork();
  if (process < 0) {
    throw IoError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  if (process == 0) {
    settle(nowhere.descriptor(), parent);
    work_and_exit(work, writing);
  }
  writing.close();
  const std::string message = reading.read_to_end();
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
