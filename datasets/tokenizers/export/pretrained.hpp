// Writes a tokenizer in the files that models are published with, which the package transformers
// loads (AutoTokenizer.from_pretrained).
#pragma once

#include <filesystem>

#include "datasets/tokenizers/export/marks.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// Writes tokenizer.json, tokenizer_config.json and special_tokens_map.json into the directory, and
// for byte-level BPE vocab.json and merges.txt. All ids are ours; the mask, if there is one, is
// `mask_id`. Marks that are spelled out in a text are text, unless the model has a mask: then they
// are marks. Throws DataError for a tokenizer that the files cannot hold
// (datasets/tokenizers/export/parts.hpp), and IoError.
void write_pretrained_tokenizer(const Tokenizer& tokenizer, const PretrainedMarks& marks,
                                const std::filesystem::path& directory);

}  // namespace tapehead
