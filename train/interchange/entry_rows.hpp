// Which rows of another model's embedding and output layer belong to the entries of our vocabulary.
#pragma once

#include <optional>
#include <vector>

#include "datasets/tokenizers/pretrained_tokenizer.hpp"

namespace tapehead {

struct EntryRows {
  std::vector<std::optional<Index>> theirs;  // of each of our rows, with the mask's at the end
  // Of each row of the output layer: whether their model could predict it. A mark that it does not
  // have is never predicted; nor is a begin mark that is its end mark too.
  std::vector<bool> predicted;
};

EntryRows entry_rows(const PretrainedTokenizer& tokenizer, bool masked);

}  // namespace tapehead
