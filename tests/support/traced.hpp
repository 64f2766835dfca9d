// A command whose system calls are watched, and may fail or do half their work. The kernel shows
// them (ptrace(2), seccomp(2)), so none is missed, whichever library makes it. Linux on x86-64.
#pragma once

#include <functional>

#include "tests/support/program.hpp"

namespace tapehead {

struct CallKind;    // a row of the table of calls
struct CallStacks;  // unwinds stacks of the traced threads

// A system call that is about to be made. Each function looks when it is called.
class SystemCall {
 public:
  SystemCall(pid_t thread, CallStacks& stacks);

  pid_t thread() const { return thread_; }
  std::string_view name() const;  // "openat"
  // What it is given, by a path or by a descriptor: an absolute path, "pipe:[7]", or "".
  std::string file() const;
  std::string new_file() const;  // of a rename, the new name
  std::uint64_t argument(int index) const;
  std::string bytes() const;  // of a write
  int flags() const;          // of an open

  // Addresses are the same in each run of the program. Those of the program itself, not of its
  // libraries, are below `libraries`.
  static constexpr std::uint64_t libraries = 0x7000'0000'0000;
  std::uint64_t stack_pointer() const { return stack_pointer_; }
  std::vector<std::uint64_t> stack() const;  // return addresses, the innermost first
  std::string stack_text() const;            // the functions, a line each

  // Changes the call: it is made for half of its bytes, or not at all.
  bool has_half() const;
  void halve() const;
  void fail(int error) const;

 private:
  std::string opened(int index) const;
  std::string path_of(int index) const;

  pid_t thread_;
  CallStacks& stacks_;
  std::array<std::uint64_t, 6> arguments_{};
  std::uint64_t stack_pointer_ = 0;
  const CallKind* kind_ = nullptr;
};

// What becomes of a call. A descriptor whose close fails is closed all the same (close(2)).
struct Verdict {
  enum class Kind { made, half, failed, killed };
  Kind kind = Kind::made;
  int error = 0;  // errno of a failed one
};

// Null if calls can be watched here, else the reason why not.
const char* why_not_traced();

// Runs the program to its end, of 20 seconds at most, and asks `watch` before each call of any of
// its threads and processes that opens, reads, changes, lists or closes files, maps memory or makes
// a process.
ProgramResult trace(const CommandLine& arguments, const std::filesystem::path& directory,
                    const std::function<Verdict(const SystemCall&)>& watch);

}  // namespace tapehead
