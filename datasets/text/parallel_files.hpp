// The files of the splits of parallel_text, and what is read from them.
#pragma once

#include "datasets/text/header_line.hpp"
#include "datasets/text/parallel_options.hpp"

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

struct SplitFiles {
  std::string name;
  std::string source;
  std::string target;
  std::string tab_separated{};  // instead of these two
  std::string types{};
  HeaderLine header = HeaderLine::automatic;  // of `tab_separated`
  bool further = false;                       // its files are entries of lists

  const std::string& source_file() const { return tab_separated.empty() ? source : tab_separated; }
  const std::string& target_file() const { return tab_separated.empty() ? target : tab_separated; }
};

struct SplitText {
  SplitFiles files;
  AlignedText text;
  std::vector<std::string> types;  // one per pair, or none
};

// The files of all splits that are held out, in the order of the splits.
std::vector<SplitFiles> held_out_files(const ParallelTextOptions& options);

// Throws IoError that names the option of a file that is not there, what the readers throw, and
// DataError with file and line if a type is empty, or if there are more or fewer types than pairs.
SplitText read_split(const SplitFiles& files);

// The groups of the option. Throws DataError for a type that no example of these splits has, and
// for a group that has the name of a type.
std::vector<TypeGroup> type_groups(const std::vector<std::string>& option,
                                   const std::vector<Split>& splits);

}  // namespace tapehead
