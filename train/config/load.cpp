// Loads a config from a file, and suggests another one if it does not exist, or from a text.
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "core/errors.hpp"
#include "core/shown.hpp"
#include "train/config/bases.hpp"
#include "train/config/config.hpp"
#include "train/config/nearest.hpp"
#include "train/config/overrides.hpp"

namespace tapehead {
namespace {

namespace fs = std::filesystem;

// The file that a misspelt name most likely means, as a question.
std::string suggestion(const fs::path& file) {
  std::error_code error;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path name = entry->path().filename();
    const std::string extension = name.extension().string();
    if (extension == ".yaml" || extension == ".yml" || extension == ".json") {
      names.push_back(name.string());
    }
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto near = nearest(file.filename().string(), candidates);
  if (!near) {
    return "";
  }
  return fmt::format("; did you mean {}?", shown((file.parent_path() / *near).string()));
}

}  // namespace

std::string read_config_text(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) {
    throw ConfigError(fmt::format("{}: no such file{}", shown(file.string()), suggestion(file)));
  }
  if (fs::is_directory(status)) {
    throw ConfigError(fmt::format("{}: a directory, not a config file", shown(file.string())));
  }
  // A little more than any config has; larger files are rejected because of their size.
  std::string text((std::size_t{1} << 20) + 1, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream.is_open() || stream.bad()) {
    const std::error_code reason(errno, std::generic_category());
    throw ConfigError(
        fmt::format("{}: cannot be read: {}", shown(file.string()), reason.message()));
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

LoadedConfig load_config(const std::filesystem::path& file,
                         const std::vector<std::string>& overrides) {
  return parse_config(read_config_text(file), file.string(), overrides);
}

LoadedConfig load_with_overrides(const fs::path& file, const std::vector<Override>& overrides) {
  const std::string name = file.string();
  return override_config(with_bases(parse_document(read_config_text(file), name), name), overrides);
}

LoadedConfig parse_config(std::string_view text, std::string_view file_name,
                          const std::vector<std::string>& overrides) {
  return override_config(with_bases(parse_document(text, file_name), file_name),
                         parse_overrides(overrides));
}

}  // namespace tapehead
