// The files of a run that hold its text as tokens, one for each split.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace tapehead {

inline std::filesystem::path token_file(const std::filesystem::path& run, std::string_view split) {
  return run / "tokens" / (std::string(split) + ".tokens");
}

inline bool has_token_files(const std::filesystem::path& run) {
  std::error_code ignored;
  return std::filesystem::exists(token_file(run, "train"), ignored);
}

}  // namespace tapehead
