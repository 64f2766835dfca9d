// The tokenizers of a Marian model: SentencePiece models of both sides, and files with the ids of
// their pieces.
#pragma once

#include <filesystem>

#include "interchange/tokenizers/pretrained_entries.hpp"

namespace tapehead {

// From source.spm, target.spm, vocab.json and, if the sides have ids of their own,
// target_vocab.json. Pieces without an id are unknown there. Entries with an id that are no pieces
// are further entries of the tokenizers, of a source only those that a text can give. If both
// models have the same pieces and ids, the tokenizers are joint, and the target uses only pieces
// that target.spm does not mark unused. Marian has no begin mark: a target begins with the id
// `begin`. Throws IoError that names the file.
PretrainedTokenizers read_marian_tokenizers(const std::filesystem::path& directory, Index begin);

}  // namespace tapehead
