// The splits of labelled text: which lines of which file each has.
#pragma once

#include <cstdint>
#include <vector>

#include "datasets/text/labelled_lines.hpp"
#include "datasets/text/labelled_options.hpp"

namespace tapehead {

struct LabelledSplit {
  LabelledFiles files;
  LabelledLines lines;
  std::vector<Index> numbers{};  // of the lines in their file, from 1
  bool whole = true;             // all lines of the file
};

// Training, validation and, if it is given, test. Throws what read_labelled throws, and DataError
// if nothing is left for training or validation.
std::vector<LabelledSplit> labelled_splits(const LabelledTextOptions& options, std::uint64_t seed);

}  // namespace tapehead
