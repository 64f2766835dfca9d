// A tokenizer that was made elsewhere, with the ids that it had there.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// A tokenizer whose ids are ours: unknown, begin and end mark, then the other entries in the order
// of the files, without the mask. So row i of our embedding is row file_ids[i] of the model's.
// Marks in the files are no text: `encode` never gives them.
struct PretrainedTokenizer {
  std::shared_ptr<const Tokenizer> tokenizer;
  std::vector<Index> file_ids;  // the id in the files of each of our ids; -1: the files have none
  std::optional<Index> mask;    // the id in the files of the mask, which is `mask_id` here
};

// The tokenizers of both sides.
struct PretrainedTokenizers {
  PretrainedTokenizer source;
  PretrainedTokenizer target;
};

}  // namespace tapehead
