#include "train/output/program_path.hpp"

#include <filesystem>

namespace tapehead {

std::string program_path() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    return "tapehead";
  }
  const std::filesystem::path near = std::filesystem::proximate(program, error);
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
