#include "lab/sweep/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include <fmt/format.h>

#include "core/files/open_file.hpp"
#include "core/files/standard_streams.hpp"
#include "core/shown.hpp"

namespace tapehead {

namespace {

// Its own process group keeps the terminal's Ctrl-C away, which would count twice, because the
// sweep also passes the signal on.
void settle(int input, int log, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (std::signal(SIGHUP, SIG_DFL) == SIG_IGN) {
    std::signal(SIGHUP, SIG_IGN);  // like nohup(1)
  }
  if (::getppid() != parent) {
    ::_exit(128 + SIGTERM);  // the parent died before this was set
  }
  ::dup2(input, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
}

// Blocks stop signals while it exists. A signal that reached the child before `settle` would run
// the handlers of this process there, and be lost.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t stops;
    sigemptyset(&stops);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      sigaddset(&stops, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &stops, &before_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

[[noreturn]] void run_and_exit(const std::function<int()>& body) {
  int code = 1;
  try {
    code = body();
  } catch (const std::exception& error) {
    write_message(fmt::format("error: {}\n", printable(error.what())));
  }
  std::fflush(nullptr);
  ::_exit(code);
}

}  // namespace

SweepChild::SweepChild(const std::filesystem::path& log, const std::function<int()>& body) {
  const OpenFile output(log, O_WRONLY | O_CREAT | O_APPEND);
  const OpenFile input("/dev/null", O_RDONLY);
  const pid_t parent = ::getpid();
  std::fflush(nullptr);
  {
    const HeldSignals held;
    id_ = ::fork();
    if (id_ < 0) {
      throw IoError(fmt::format("cannot start a process: {}", std::strerror(errno)));
    }
    if (id_ == 0) {
      settle(input.descriptor(), output.descriptor(), parent);
    }
  }
  if (id_ == 0) {
    run_and_exit(body);
  }
}

SweepChild::~SweepChild() {
  if (!exit_code()) {
    send(SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
}

void SweepChild::send(int signal) const { ::kill(id_, signal); }

std::optional<int> SweepChild::exit_code() {
  int status = 0;
  if (!exit_code_ && ::waitpid(id_, &status, WNOHANG) == id_) {
    exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  return exit_code_;
}

int become_program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "tapehead");
  std::vector<char*> words;
  for (std::string& argument : arguments) {
    words.push_back(argument.data());
  }
  words.push_back(nullptr);
  ::execv("/proc/self/exe", words.data());
  write_message(fmt::format("error: cannot start the program: {}\n", std::strerror(errno)));
  return 127;
}

}  // namespace tapehead
