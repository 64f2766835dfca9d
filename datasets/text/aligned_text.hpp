// Aligned text: sentences and their translations, line by line, from two files or from one with
// tabs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "datasets/text/header_line.hpp"

namespace tapehead {

struct AlignedText {
  std::vector<std::string> source;
  std::vector<std::string> target;  // as many as sources
  Index first = 1;                  // the line of the first pair: 2 after a header
};

// From two files: line i of one is the translation of line i of the other. Throws what read_lines
// throws, and DataError with both line counts if they differ.
AlignedText read_aligned_files(const std::filesystem::path& source,
                               const std::filesystem::path& target);

// From one file: source, tab, target on each line. Throws what read_lines and has_header throw, and
// DataError with file and line if a line does not have exactly one tab.
AlignedText read_tab_separated(const std::filesystem::path& file,
                               HeaderLine header = HeaderLine::automatic);

}  // namespace tapehead
