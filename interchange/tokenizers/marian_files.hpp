// Writes the tokenizers of both sides of parallel text as the files of Marian's models, which the
// package transformers loads (MarianTokenizer).
#pragma once

#include <filesystem>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// Writes source.spm, target.spm, vocab.json, tokenizer_config.json and special_tokens_map.json;
// and, if the ids of the target differ or are fewer, target_vocab.json, with `separate_vocabs`.
// All ids are ours. A source and a target get the end mark; padding is the begin mark, with which a
// decoder of Marian's starts. `longest`: tokens of a source, marks included; 0: any number.
// Throws DataError unless both are models of SentencePiece, and IoError.
void write_marian_tokenizers(const Tokenizers& tokenizers, Index longest,
                             const std::filesystem::path& directory);

}  // namespace tapehead
