// Tagged lines: sentences with a label for each token, in the columns of the CoNLL tasks.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace tapehead {

// Tokens and labels, each with a space between them.
struct TaggedSentence {
  std::string tokens;
  std::string labels;
  Index line = 0;  // of its first token, from 1
};

// One token a line: its first column is the token and its last one the label. Columns are separated
// by spaces or tabs, and sentences by empty lines. Sentences of the token -DOCSTART- alone, which
// begin documents (Tjong Kim Sang and De Meulder 2003), are left out. Throws what read_lines
// throws, and DataError with file and line for a line with a single column, or with another number
// of them than the first.
std::vector<TaggedSentence> read_tagged(const std::filesystem::path& file);

}  // namespace tapehead
