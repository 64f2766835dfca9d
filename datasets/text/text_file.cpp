#include "datasets/text/text_file.hpp"

#include <fcntl.h>

#include <limits>
#include <system_error>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/files/open_file.hpp"
#include "core/text.hpp"
#include "datasets/text/text_reader.hpp"

namespace tapehead {

namespace fs = std::filesystem;

std::optional<std::string> utf8_fault(std::string_view line, const fs::path& file,
                                      std::size_t number) {
  const std::size_t valid = utf8_valid_bytes(line);
  if (valid == line.size()) {
    return std::nullopt;
  }
  const auto byte = static_cast<unsigned char>(line[valid]);
  const bool utf16 = number == 1 && (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF"));
  return fmt::format("{}:{}: byte {} (0x{:02X}) is not valid UTF-8; {}", file.string(), number,
                     valid + 1, byte,
                     utf16 ? "the file looks like UTF-16: convert it to UTF-8"
                           : "convert the file to UTF-8, or correct the line");
}

void expect_file(const fs::path& file, std::string_view option) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    const std::string place = file.is_absolute() ? "" : " in " + fs::current_path().string();
    throw IoError(fmt::format("{}: there is no file {}{}", option, file.string(), place));
  }
}

std::vector<std::string> read_lines(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) {
    throw IoError(fmt::format("cannot read {}: it is a directory, not a file", file.string()));
  }
  const OpenFile open(file, O_RDONLY);
  std::vector<std::string> lines =
      TextReader(open.descriptor(), file).next(std::numeric_limits<Index>::max());
  if (lines.empty()) {
    throw DataError(fmt::format("{}:1: the file is empty", file.string()));
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const auto fault = utf8_fault(lines[i], file, i + 1)) {
      throw DataError(*fault);
    }
  }
  return lines;
}

}  // namespace tapehead
