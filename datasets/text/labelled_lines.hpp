// Labelled lines: texts and the class of each, read from a TSV or from two files.
#pragma once

#include "datasets/text/header_line.hpp"
#include "datasets/text/labelled_options.hpp"

namespace tapehead {

struct LabelledFiles {
  std::string split;  // "train": the beginning of its options' names
  std::string tsv;
  std::string text;
  std::string labels;
  HeaderLine header = HeaderLine::automatic;  // of the TSV

  bool given() const { return !tsv.empty() || !text.empty(); }
  const std::string& text_file() const { return tsv.empty() ? text : tsv; }
  const std::string& label_file() const { return tsv.empty() ? labels : tsv; }
};

// Those of training, validation and test.
std::array<LabelledFiles, 3> files_of(const LabelledTextOptions& options);

struct LabelledLines {
  std::vector<std::string> texts;   // two texts of an example with a tab between them
  std::vector<std::string> labels;  // without the blanks and tabs around them
  Index first = 1;                  // their first line in the file: 2 after a header
};

// The one or two texts of an example.
std::vector<std::string> texts_of(const std::string& line, Index texts);

struct LabelledSplit {
  LabelledFiles files;
  LabelledLines lines;
  std::vector<Index> numbers{};  // of the lines in their file, from 1
  bool whole = true;             // all lines of the file
};

// Training, validation and, if it is given, test. Throws what read_lines and has_header throw, and
// DataError with file and line for a line with another number of columns, a file with fewer lines
// than the other, or a label that is empty; and if nothing is left for training or validation.
std::vector<LabelledSplit> labelled_splits(const LabelledTextOptions& options, std::uint64_t seed);

}  // namespace tapehead
