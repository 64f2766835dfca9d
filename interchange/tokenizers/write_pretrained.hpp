// Writes a tokenizer in the files that models are published with, which the package transformers
// loads (AutoTokenizer.from_pretrained).
#pragma once

#include "datasets/tokenizers/tokenizer.hpp"
#include "interchange/tokenizers/marks.hpp"
#include "interchange/tokenizers/read_pretrained.hpp"

namespace tapehead {

// Writes tokenizer.json, tokenizer_config.json and special_tokens_map.json into the directory, for
// byte-level BPE also vocab.json and merges.txt, and for SentencePiece its model, tokenizer.model.
// All ids are ours; the mask, if there is one, is `mask_id`. Marks that are spelled out in a text
// are text, unless the model has a mask: then they are marks. Throws DataError for a tokenizer that
// the files cannot hold (interchange/tokenizers/tokenizer_parts.hpp), and IoError.
void write_pretrained_tokenizer(const Tokenizer& tokenizer, const PretrainedMarks& marks,
                                const std::filesystem::path& directory);

// The tokenizer of words, characters, bytes or SentencePiece's subwords that is written in a
// directory; none if tokenizer.json is not exactly what `write_pretrained_tokenizer` writes of it.
// Throws IoError for a file that cannot be read.
std::optional<PretrainedTokenizer> read_written_tokenizer(const std::filesystem::path& directory);

}  // namespace tapehead
