#include "core/files/process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <fstream>

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

// The child process: without core file and output, and with an end when its parent ends.
[[noreturn]] void work_and_exit(const std::function<std::string()>& work, OpenFile& to, int nowhere,
                                pid_t parent) {
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

constexpr const char* started = "/proc/self/exe";  // by the system: this program or a loader

// The loader that loaded this program, if the system started one.
std::optional<fs::path> loader() {
  std::error_code error;
  const fs::path file = fs::read_symlink(started, error);
  return file.filename() == "ld-linux-x86-64.so.2" ? std::optional(file) : std::nullopt;
}

// The file whose code is at the address, as /proc tells it; see proc(5).
fs::path mapped_file(std::uintptr_t address) {
  std::ifstream lines("/proc/self/maps");
  for (std::string line; std::getline(lines, line);) {  // "BEGIN-END ACCESS ... FILE"
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    const char* const last = line.data() + line.size();
    const auto read = std::from_chars(line.data(), last, begin, 16);
    if (read.ptr != last) {
      std::from_chars(read.ptr + 1, last, end, 16);
    }
    if (begin <= address && address < end && line.find('/') != std::string::npos) {
      return line.substr(line.find('/'));
    }
  }
  return "tapehead";
}

}  // namespace

ProcessMemory process_memory() {
  const std::string status = read_file("/proc/self/status");
  return {.resident = bytes_in(status, "VmRSS:"), .peak = bytes_in(status, "VmHWM:")};
}

std::string isolated(const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw IoError("cannot make a pipe: {}", std::strerror(errno));
  }
  OpenFile reading(ends[0], "a pipe");
  OpenFile writing(ends[1], "a pipe");
  const OpenFile nowhere("/dev/null", O_WRONLY);
  const pid_t parent = ::getpid();
  std::fflush(nullptr);  // or the child would write the buffered text again
  const pid_t process = ::fork();
  if (process < 0) {
    throw IoError("cannot start a process: {}", std::strerror(errno));
  }
  if (process == 0) {
    work_and_exit(work, writing, nowhere.descriptor(), parent);
  }
  writing.close();
  const std::string message = reading.read_to_end();
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0 || message.empty()) {
    const int signal = WTERMSIG(status);
    throw IsolatedEnd(WIFSIGNALED(status) ? fmt::format("signal {} ({})", signal, strsignal(signal))
                                          : fmt::format("exit code {}", WEXITSTATUS(status)));
  }
  if (message.front() == thrown) {
    throw DataError(message.substr(1));
  }
  return message.substr(1);
}

fs::path own_program() {
  if (loader()) {
    return mapped_file(std::bit_cast<std::uintptr_t>(&own_program));
  }
  std::error_code error;
  const fs::path program = fs::read_symlink(started, error);
  return error ? "tapehead" : program;
}

fs::path running_file() { return loader() ? own_program() : started; }

StartCommand start_again(std::vector<std::string> arguments, const fs::path& other) {
  const fs::path program = other.empty() ? running_file() : other;
  StartCommand command{.file = program, .words = {"tapehead"}};
  if (const auto package = loader()) {
    // A package's libraries are beside its loader. No environment variable names them, because
    // programs that are not of the package would inherit it.
    command = {.file = started,
               .words = {package->filename(), "--inhibit-cache", "--library-path",
                         package->parent_path(), "--argv0", program_invocation_name, program}};
  }
  std::ranges::move(arguments, std::back_inserter(command.words));
  return command;
}

}  // namespace tapehead
