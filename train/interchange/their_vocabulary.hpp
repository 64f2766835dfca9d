// The entries of another program's vocabulary, and the rows that they have in ours.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "train/interchange/pretrained_files.hpp"
#include "train/interchange/their_config.hpp"

namespace tapehead {

struct TheirVocabulary {
  std::vector<std::string> entries;  // by their ids
  bool named = true;                 // false: no file names them, so they are numbers
  std::optional<Index> unknown{}, begin{}, end{}, mask{};
};

// Of vocab.json or vocab.txt, and the marks of special_tokens_map.json, tokenizer_config.json and
// config.json. Throws IoError if a file has no `size` entries, or gives one twice.
TheirVocabulary read_their_vocabulary(const PretrainedFiles& files, const TheirConfig& config,
                                      Index size);

// Our vocabularies begin with the marks for what is unknown, begin and end; a mask is behind the
// last entry.
struct OurRows {
  std::vector<std::string> entries;          // after the marks
  std::vector<std::optional<Index>> theirs;  // of each of our rows, with the mask if there is one
  // Of each row of the output layer: whether their model could predict it. A mark that it does not
  // have is never predicted; nor is a begin mark that is its end mark too.
  std::vector<bool> predicted;
};
OurRows our_rows(const TheirVocabulary& theirs, bool masked);

}  // namespace tapehead
