#include "train/run/program_path.hpp"

#include <filesystem>

namespace tapehead {

std::string program_path() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    return "tapehead";
  }
  const std::filesystem::path near = std::filesystem::proximate(program, error);
  return error || near.string().starts_with("..") ? program.string() : near.string();
}

}  // namespace tapehead
