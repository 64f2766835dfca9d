// A child process that runs a function, for tests that would harm their own process.
#pragma once

#include "core/prelude.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace tapehead {

class ChildProcess {
 public:
  // The child exits with what `body` returns, or with 99 when it throws.
  template <class Body>
  explicit ChildProcess(const Body& body) : id_(::fork()) {
    if (id_ < 0) {
      throw std::runtime_error("cannot fork");
    }
    if (id_ == 0) {
      int code = 99;
      try {
        code = body();
      } catch (...) {
        code = 99;
      }
      ::_exit(code);
    }
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() {
    if (!waited_) {
      kill();
      wait();
    }
  }

  pid_t id() const { return id_; }
  void kill(int signal = SIGKILL) const { ::kill(id_, signal); }

  // The exit code, or 128 + the signal that ended it.
  int wait() {
    int status = 0;
    ::waitpid(id_, &status, 0);
    waited_ = true;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t id_;
  bool waited_ = false;
};

}  // namespace tapehead
