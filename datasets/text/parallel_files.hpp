// The files of the splits of parallel_text, and what is read from them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "datasets/text/aligned_text.hpp"
#include "datasets/text/options.hpp"

namespace tapehead {

struct SplitFiles {
  std::string name;
  std::string source;
  std::string target;
  std::string tab_separated{};  // instead of these two
  std::string types{};
  bool further = false;                       // its files are entries of lists
  HeaderLine header = HeaderLine::automatic;  // of `tab_separated`

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

// Throws IoError that names the option of a file that is not there, and what read_aligned_files,
// read_tab_separated and read_types throw.
SplitText read_split(const SplitFiles& files);

}  // namespace tapehead
