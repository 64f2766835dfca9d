#include "datasets/text_file.hpp"

#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "datasets/gzip.hpp"
#include "datasets/utf8.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

std::string read_text(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) {
    throw IoError(fmt::format("cannot read {}: it is a directory, not a file", file.string()));
  }
  std::string content = read_file(file);
  return is_gzip(content) ? gunzip(content, file) : content;
}

}  // namespace

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
                           : "convert the file to UTF-8, or mend the line");
}

std::vector<std::string> read_lines(const fs::path& file) {
  const std::string text = read_text(file);
  std::string_view rest = text;
  if (rest.starts_with("\xEF\xBB\xBF")) {
    rest.remove_prefix(3);
  }
  if (rest.empty()) {
    throw DataError(fmt::format("{}:1: the file is empty", file.string()));
  }
  std::vector<std::string> lines;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (const auto fault = utf8_fault(line, file, lines.size() + 1)) {
      throw DataError(*fault);
    }
    lines.emplace_back(line);
  }
  return lines;
}

}  // namespace tapehead
