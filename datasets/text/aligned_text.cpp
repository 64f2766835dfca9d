#include "datasets/text/aligned_text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "datasets/text/text_file.hpp"

namespace tapehead {

namespace fs = std::filesystem;

AlignedText read_aligned_files(const fs::path& source, const fs::path& target) {
  AlignedText text{.source = read_lines(source), .target = read_lines(target)};
  if (text.source.size() != text.target.size()) {
    const auto& [shorter, count] = text.source.size() < text.target.size()
                                       ? std::pair(source, text.source.size())
                                       : std::pair(target, text.target.size());
    throw DataError(fmt::format(
        "{}:{}: the file ends here, but {} has {} lines and {} has {}; line by line one must be "
        "the translation of the other",
        shorter.string(), count, source.string(), text.source.size(), target.string(),
        text.target.size()));
  }
  return text;
}

AlignedText read_tab_separated(const fs::path& file, HeaderLine header) {
  AlignedText text;
  const std::vector<std::string> lines = read_lines(file);
  text.first = has_header(header, file, lines, names_columns(lines.front())) ? 2 : 1;
  for (auto number = static_cast<std::size_t>(text.first); number <= lines.size(); ++number) {
    const std::string& line = lines[number - 1];
    const auto tabs = std::count(line.begin(), line.end(), '\t');
    if (tabs != 1) {
      throw DataError(fmt::format("{}:{}: {} tabs, where source, one tab and target are expected",
                                  file.string(), number, tabs == 0 ? "no" : std::to_string(tabs)));
    }
    const std::size_t tab = line.find('\t');
    text.source.push_back(line.substr(0, tab));
    text.target.push_back(line.substr(tab + 1));
  }
  return text;
}

}  // namespace tapehead
