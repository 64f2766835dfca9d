#include "tests/support/traced.hpp"

#include <cxxabi.h>
#include <libunwind-ptrace.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>

#include <map>

namespace tapehead {

// The numbers of the arguments that name files: a path and the directory that it is relative to, a
// second path, a descriptor; and the number of bytes that may be halved. -1: none.
struct CallKind {
  std::uint64_t number;
  std::string_view name;
  int path = -1;
  int directory = -1;
  int new_path = -1;
  int descriptor = -1;
  int size = -1;
};

namespace {

constexpr std::array kinds{
    CallKind{.number = SYS_open, .name = "open", .path = 0},
    CallKind{.number = SYS_openat, .name = "open", .path = 1, .directory = 0},
    CallKind{.number = SYS_creat, .name = "open", .path = 0},
    CallKind{.number = SYS_read, .name = "read", .descriptor = 0, .size = 2},
    CallKind{.number = SYS_pread64, .name = "read", .descriptor = 0, .size = 2},
    CallKind{.number = SYS_write, .name = "write", .descriptor = 0, .size = 2},
    CallKind{.number = SYS_pwrite64, .name = "pwrite", .descriptor = 0, .size = 2},
    CallKind{.number = SYS_writev, .name = "writev", .descriptor = 0},
    CallKind{.number = SYS_sendfile, .name = "sendfile", .descriptor = 0, .size = 3},
    CallKind{.number = SYS_copy_file_range, .name = "sendfile", .descriptor = 2, .size = 4},
    CallKind{.number = SYS_fsync, .name = "fsync", .descriptor = 0},
    CallKind{.number = SYS_fdatasync, .name = "fsync", .descriptor = 0},
    CallKind{.number = SYS_rename, .name = "rename", .path = 0, .new_path = 1},
    CallKind{.number = SYS_unlink, .name = "unlink", .path = 0},
    CallKind{.number = SYS_rmdir, .name = "unlink", .path = 0},
    CallKind{.number = SYS_unlinkat, .name = "unlink", .path = 1, .directory = 0},
    CallKind{.number = SYS_mkdir, .name = "mkdir", .path = 0},
    CallKind{.number = SYS_symlink, .name = "symlink", .path = 1},
    CallKind{.number = SYS_mmap, .name = "mmap", .descriptor = 4},
    CallKind{.number = SYS_flock, .name = "flock", .descriptor = 0},
    CallKind{.number = SYS_ftruncate, .name = "ftruncate", .descriptor = 0},
    CallKind{.number = SYS_truncate, .name = "ftruncate", .path = 0},
    CallKind{.number = SYS_fchmod, .name = "fchmod", .descriptor = 0},
    CallKind{.number = SYS_fchmodat, .name = "fchmod", .path = 1, .directory = 0},
    CallKind{.number = SYS_dup, .name = "dup", .descriptor = 0},
    CallKind{.number = SYS_dup2, .name = "dup", .descriptor = 0},
    CallKind{.number = SYS_dup3, .name = "dup", .descriptor = 0},
    CallKind{.number = SYS_stat, .name = "stat", .path = 0},
    CallKind{.number = SYS_lstat, .name = "stat", .path = 0},
    CallKind{.number = SYS_fstat, .name = "stat", .descriptor = 0},
    CallKind{.number = SYS_newfstatat, .name = "stat", .path = 1, .directory = 0},
    CallKind{.number = SYS_statx, .name = "stat", .path = 1, .directory = 0},
    CallKind{.number = SYS_readlink, .name = "readlink", .path = 0},
    CallKind{.number = SYS_getcwd, .name = "getcwd"},
    CallKind{.number = SYS_chdir, .name = "chdir", .path = 0},
    CallKind{.number = SYS_getdents64, .name = "getdents", .descriptor = 0},
    CallKind{.number = SYS_pipe2, .name = "pipe"},
    CallKind{.number = SYS_clone, .name = "clone"},
    CallKind{.number = SYS_clone3, .name = "clone"},
    CallKind{.number = SYS_fork, .name = "clone"},
    CallKind{.number = SYS_vfork, .name = "clone"},
    CallKind{.number = SYS_execve, .name = "execve", .path = 0},
    CallKind{.number = SYS_close, .name = "close", .descriptor = 0},
};

std::system_error traced_error(const char* what) { return {errno, std::generic_category(), what}; }

template <class Data>
void ask_kernel(__ptrace_request request, pid_t thread, std::uint64_t address, Data data) {
  // A thread may be gone, killed by another one's exit.
  if (::ptrace(request, thread, address, data) != 0 && errno != ESRCH) {
    throw traced_error("ptrace");
  }
}

user_regs_struct registers_of(pid_t thread) {
  user_regs_struct registers{};
  ask_kernel(PTRACE_GETREGS, thread, 0, &registers);
  return registers;
}

std::string memory_of(pid_t thread, std::uint64_t address, std::size_t size) {
  std::string bytes(size, '\0');
  iovec here{.iov_base = bytes.data(), .iov_len = size};
  iovec there{.iov_base = std::bit_cast<void*>(address), .iov_len = size};
  const ssize_t got = ::process_vm_readv(thread, &here, 1, &there, 1, 0);
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

// Up to the zero, page by page: the next page may not be there.
std::string text_of(pid_t thread, std::uint64_t address) {
  constexpr std::uint64_t page = 4096;
  std::string text;
  while (true) {
    const std::string more = memory_of(thread, address, page - address % page);
    text += more.substr(0, more.find('\0'));
    if (more.empty() || more.find('\0') != std::string::npos) {
      return text;
    }
    address += more.size();
  }
}

std::string link_of(const std::string& link) {
  std::error_code unknown;
  return std::filesystem::read_symlink(link, unknown).string();
}

constexpr unsigned longest_traced = 20;  // seconds, of a command that takes one

// The child: each of its calls in the table stops it. Addresses are the same in each run.
void be_traced() {
  std::vector<sock_filter> filter{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offsetof(seccomp_data, nr)))};
  for (const CallKind& kind : kinds) {
    filter.push_back(
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(kind.number), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{.len = static_cast<unsigned short>(filter.size()),
                           .filter = filter.data()};
  ::alarm(longest_traced);
  ::personality(ADDR_NO_RANDOMIZE);
  ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  std::raise(SIGSTOP);  // until the parent has said what it wants to see
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    throw traced_error("seccomp");
  }
}

}  // namespace

struct CallStacks {
  CallStacks() : space(unw_create_addr_space(&_UPT_accessors, 0)) {
    unw_set_caching_policy(space, UNW_CACHE_GLOBAL);
  }
  CallStacks(const CallStacks&) = delete;
  CallStacks& operator=(const CallStacks&) = delete;
  ~CallStacks() {
    for (const auto& [thread, state] : states) {
      _UPT_destroy(state);
    }
    unw_destroy_addr_space(space);
  }

  void forget(pid_t thread) {
    if (const auto state = states.find(thread); state != states.end()) {
      _UPT_destroy(state->second);
      states.erase(state);
    }
  }

  template <class Visit>
  void visit(pid_t thread, const Visit& see) {
    void*& state = states[thread];
    state = state == nullptr ? _UPT_create(thread) : state;
    unw_cursor_t cursor;
    if (unw_init_remote(&cursor, space, state) == 0) {
      do {
        see(cursor);
      } while (unw_step(&cursor) > 0);
    }
  }

  unw_addr_space_t space;
  std::map<pid_t, void*> states;
};

SystemCall::SystemCall(pid_t thread, CallStacks& stacks) : thread_(thread), stacks_(stacks) {
  const user_regs_struct registers = registers_of(thread);
  arguments_ = {registers.rdi, registers.rsi, registers.rdx,
                registers.r10, registers.r8,  registers.r9};
  stack_pointer_ = registers.rsp;
  kind_ = std::ranges::find(kinds, registers.orig_rax, &CallKind::number);
}

std::string_view SystemCall::name() const { return kind_->name; }

std::uint64_t SystemCall::argument(int index) const {
  return arguments_.at(static_cast<std::size_t>(index));
}

void SystemCall::halve() const {
  user_regs_struct registers = registers_of(thread_);
  const std::array places{&registers.rdi, &registers.rsi, &registers.rdx,
                          &registers.r10, &registers.r8,  &registers.r9};
  *places.at(static_cast<std::size_t>(kind_->size)) -= argument(kind_->size) / 2;
  ask_kernel(PTRACE_SETREGS, thread_, 0, &registers);
}

void SystemCall::fail(int error) const {
  user_regs_struct registers = registers_of(thread_);
  registers.orig_rax =
      std::numeric_limits<unsigned long long>::max();  // none: the kernel makes no call
  registers.rax = static_cast<unsigned long long>(-error);
  ask_kernel(PTRACE_SETREGS, thread_, 0, &registers);
}

bool SystemCall::has_half() const { return kind_->size >= 0 && argument(kind_->size) > 1; }

std::string SystemCall::opened(int index) const {
  const int descriptor = static_cast<int>(argument(index));
  return link_of(descriptor == AT_FDCWD ? fmt::format("/proc/{}/cwd", thread_)
                                        : fmt::format("/proc/{}/fd/{}", thread_, descriptor));
}

std::string SystemCall::path_of(int index) const {
  const std::filesystem::path base = kind_->directory >= 0
                                         ? opened(kind_->directory)
                                         : link_of(fmt::format("/proc/{}/cwd", thread_));
  const std::string path = text_of(thread_, argument(index));
  return path.empty() ? base.string() : (base / path).lexically_normal().string();
}

std::string SystemCall::file() const {
  return kind_->path >= 0         ? path_of(kind_->path)
         : kind_->descriptor >= 0 ? opened(kind_->descriptor)
                                  : "";
}

int SystemCall::flags() const { return static_cast<int>(argument(kind_->path + 1)); }

std::string SystemCall::new_file() const { return path_of(kind_->new_path); }

std::string SystemCall::bytes() const { return memory_of(thread_, arguments_[1], arguments_[2]); }

std::vector<std::uint64_t> SystemCall::stack() const {
  std::vector<std::uint64_t> addresses;
  stacks_.visit(thread_, [&](unw_cursor_t& cursor) {
    unw_word_t address = 0;
    unw_get_reg(&cursor, UNW_REG_IP, &address);
    addresses.push_back(address);
  });
  return addresses;
}

std::string SystemCall::stack_text() const {
  std::string text;
  stacks_.visit(thread_, [&](unw_cursor_t& cursor) {
    std::array<char, 2000> name{};
    unw_word_t offset = 0;
    if (unw_get_proc_name(&cursor, name.data(), name.size(), &offset) == 0) {
      int status = 0;
      char* const plain = abi::__cxa_demangle(name.data(), nullptr, nullptr, &status);
      text += fmt::format("    {}\n", plain == nullptr ? name.data() : plain);
      std::free(plain);
    }
  });
  return text;
}

const char* why_not_traced() {
  if (!runs_natively) {
    return "a sanitizer's program cannot be traced";
  }
  static const bool allowed = ChildProcess([] {
                                return ::personality(ADDR_NO_RANDOMIZE) >= 0 &&
                                               ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0
                                           ? 0
                                           : 1;
                              }).wait() == 0;
  return allowed ? nullptr : "no process may be traced here, or none without random addresses";
}

namespace {

// Follows the threads and processes of a program from its first instruction to its end.
class Tracer {
 public:
  Tracer(const Program& program, const std::function<Verdict(const SystemCall&)>& watch)
      : leader_(program.id()), watch_(watch) {
    int status = 0;
    if (::waitpid(leader_, &status, __WALL) < 0 || !WIFSTOPPED(status)) {
      throw std::runtime_error("the traced program did not start");
    }
    constexpr std::uint64_t options =
        PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
        PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
    ask_kernel(PTRACE_SETOPTIONS, leader_, 0, options);
    go_on(leader_);
  }

  // Returns when the program has ended. It is left to be waited for.
  void follow() {
    while (true) {
      siginfo_t event{};
      if (::waitid(P_ALL, 0, &event, WEXITED | WSTOPPED | WNOWAIT | __WALL | __WNOTHREAD) < 0) {
        throw traced_error("waitid");
      }
      const bool ended = event.si_code != CLD_TRAPPED && event.si_code != CLD_STOPPED;
      if (ended && event.si_pid == leader_) {
        return end_others();
      }
      int status = 0;
      ::waitpid(event.si_pid, &status, __WALL);
      if (ended) {
        stacks_.forget(event.si_pid);
        others_.erase(event.si_pid);
      } else {
        if (event.si_pid != leader_) {
          others_.insert(event.si_pid);
        }
        stopped(event.si_pid, status);
      }
    }
  }

 private:
  // Their ends are seen by the next tracer of this process, or by nobody.
  void end_others() const {
    for (const pid_t other : others_) {
      ::kill(other, SIGKILL);
    }
  }

  static void go_on(pid_t thread, int signal = 0) { ask_kernel(PTRACE_CONT, thread, 0, signal); }

  void stopped(pid_t thread, int status) {
    const int signal = WSTOPSIG(status);
    if (status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8)) {
      const SystemCall call(thread, stacks_);
      called(call, watch_(call));
    } else if (signal == (SIGTRAP | 0x80)) {
      returned(thread);
    } else if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8)) {
      unw_flush_cache(stacks_.space, 0, 0);
      stacks_.forget(thread);
      go_on(thread);
    } else {
      // A new thread or process begins with SIGSTOP, and exec with SIGTRAP, of which it knows
      // nothing.
      go_on(thread, signal == SIGTRAP || signal == SIGSTOP ? 0 : signal);
    }
  }

  void called(const SystemCall& call, const Verdict& verdict) {
    switch (verdict.kind) {
      case Verdict::Kind::made:
        return go_on(call.thread());
      case Verdict::Kind::killed:
        ::kill(leader_, SIGKILL);
        return;
      case Verdict::Kind::half:
        call.halve();
        return go_on(call.thread());
      case Verdict::Kind::failed:
        if (call.name() != "close") {
          call.fail(verdict.error);
          return go_on(call.thread());
        }
        errors_[call.thread()] = verdict.error;
        ask_kernel(PTRACE_SYSCALL, call.thread(), 0, 0);
    }
  }

  // A close that was made, but must seem to have failed.
  void returned(pid_t thread) {
    SystemCall(thread, stacks_).fail(errors_.at(thread));
    errors_.erase(thread);
    go_on(thread);
  }

  pid_t leader_;
  const std::function<Verdict(const SystemCall&)>& watch_;
  CallStacks stacks_;
  std::map<pid_t, int> errors_;
  std::set<pid_t> others_;  // threads and processes that the program has started
};

}  // namespace

ProgramResult trace(const CommandLine& arguments, const std::filesystem::path& directory,
                    const std::function<Verdict(const SystemCall&)>& watch) {
  Program program(arguments, directory, TAPEHEAD_PROGRAM, be_traced);
  program.end_input();
  Tracer(program, watch).follow();
  return program.wait();
}

}  // namespace tapehead
