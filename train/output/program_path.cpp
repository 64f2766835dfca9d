#include "train/output/program_path.hpp"

#include "core/version.hpp"

namespace tapehead {

namespace {

namespace fs = std::filesystem;

fs::path started_program(const fs::path& program) {
  const fs::path level = program.parent_path();
  const fs::path prefix = level.parent_path().parent_path().parent_path();
  const fs::path chooser = prefix / "bin" / program.filename();
  std::error_code error;
  const bool packaged = level == prefix / "lib/tapehead" / kernel_level();
  return packaged && fs::exists(chooser, error) ? chooser : program;
}

}  // namespace

fs::path running_program() { return fs::read_symlink("/proc/self/exe"); }

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
  if (word.starts_with('-')) {
    return shell_word("./" + std::string(word));
  }
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
