// The tokenizers of a Marian model, which the package transformers loads (MarianTokenizer):
// SentencePiece models of both sides, and files with the ids of their pieces.
#pragma once

#include "datasets/tokenizers/tokenizer.hpp"
#include "interchange/tokenizers/read_pretrained.hpp"

namespace tapehead {

// From source.spm, target.spm, vocab.json and, if the sides have ids of their own,
// target_vocab.json. Pieces without an id are unknown there. Entries with an id that are no pieces
// are further entries of the tokenizers, of a source only those that a text can give. If both
// models have the same pieces and ids, the tokenizers are joint, and the target uses only pieces
// that target.spm does not mark unused. Marian has no begin mark: a target begins with the id
// `begin`. Throws IoError that names the file.
PretrainedTokenizers read_marian_tokenizers(const std::filesystem::path& directory, Index begin);

// Writes source.spm, target.spm, vocab.json, tokenizer_config.json and special_tokens_map.json;
// and, if the ids of the target differ or are fewer, target_vocab.json, with `separate_vocabs`.
// All ids are ours. A source and a target get the end mark; padding is the begin mark, with which a
// decoder of Marian's starts. `longest`: tokens of a source, marks included; 0: any number.
// Throws DataError unless both are models of SentencePiece, and IoError.
void write_marian_tokenizers(const Tokenizers& tokenizers, Index longest,
                             const std::filesystem::path& directory);

}  // namespace tapehead
