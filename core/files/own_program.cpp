#include "core/files/own_program.hpp"

#include <cerrno>
#include <charconv>
#include <fstream>

namespace tapehead {

namespace {

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
