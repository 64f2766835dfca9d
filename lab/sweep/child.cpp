#include "lab/sweep/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>

#include "core/files/files.hpp"
#include "core/files/process.hpp"
#include "core/ranks/launcher.hpp"

namespace tapehead {

namespace {

// Its own process group shields the child from the terminal's Ctrl-C; the sweep passes signals on.
void settle(int input, int log, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGUSR1, SIG_DFL);
  if (std::signal(SIGHUP, SIG_DFL) == SIG_IGN) {
    std::signal(SIGHUP, SIG_IGN);  // like nohup(1)
  }
  if (::getppid() != parent) {
    ::_exit(128 + SIGTERM);  // the parent ended before PR_SET_PDEATHSIG was set
  }
  if (::dup2(input, STDIN_FILENO) < 0 || ::dup2(log, STDOUT_FILENO) < 0 ||
      ::dup2(log, STDERR_FILENO) < 0) {
    ::_exit(127);
  }
}

// Blocks stop signals while it exists. Otherwise a signal that reaches the child before settle()
// would run this process's handlers in the child and be lost.
class HeldSignals : NotCopied {
 public:
  HeldSignals() {
    sigset_t stops;
    sigemptyset(&stops);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
      sigaddset(&stops, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &stops, &before_);
  }
  ~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers = mapped(texts, [](std::string& text) { return text.data(); });
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

SweepChild::SweepChild(const ChildCommand& command, const fs::path& other) {
  const OpenFile output(command.log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
  const OpenFile input("/dev/null", O_RDONLY);
  StartCommand start = start_again(command.arguments, other);
  std::vector<std::string> environment = environment_without_launcher();
  const std::vector<char*> word_pointers = pointers_to(start.words);
  const std::vector<char*> environment_pointers = pointers_to(environment);
  const pid_t parent = ::getpid();
  {
    const HeldSignals held;
    id_ = ::fork();
    if (id_ < 0) {
      throw IoError("cannot start a process: {}", std::strerror(errno));
    }
    if (id_ == 0) {
      settle(input.descriptor(), output.descriptor(), parent);
    }
  }
  if (id_ == 0) {
    // Closes the parent's files, so that its launcher does not take the child for the parent.
    ::close_range(STDERR_FILENO + 1, ~0U, 0);
    ::execve(start.file.c_str(), word_pointers.data(), environment_pointers.data());
    constexpr std::string_view failure = "error: cannot start the program\n";
    std::ignore = ::write(STDERR_FILENO, failure.data(), failure.size());
    ::_exit(127);
  }
}

SweepChild::~SweepChild() {
  if (!exit_code()) {
    send(SIGTERM);
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

}  // namespace tapehead
