#include "train/output/program_path.hpp"

#include <filesystem>

#include "core/version.hpp"

namespace tapehead {

namespace {

namespace fs = std::filesystem;

// What the user starts: in a package, which has a program for each level of instructions, the
// launcher bin/NAME of lib/tapehead/LEVEL/NAME.
fs::path started_program(const fs::path& program) {
  const fs::path level = program.parent_path();
  const fs::path launcher = level / "../../../bin" / program.filename();
  std::error_code error;
  return level.filename() == kernels() && fs::exists(launcher, error) ? launcher.lexically_normal()
                                                                      : program;
}

}  // namespace

std::string program_path() {
  std::error_code error;
  const fs::path running = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    return "tapehead";
  }
  const fs::path program = started_program(running);
  const fs::path near = fs::proximate(program, error);
  return shell_word(error || near.string().starts_with("..") ? program.string() : near.string());
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char c : word) {
    quoted += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
  }
  return quoted + "'";
}

}  // namespace tapehead
