// Reads the tokenizers and marks of another program's model. If a tokenizer is not supported, its
// vocabulary can be read instead; texts are then given as tokens, separated by blanks.
#pragma once

#include "interchange/pretrained_files.hpp"
#include "interchange/tokenizers/pretrained_tokenizers.hpp"

namespace tapehead {

// `begin`: see their_marks. `token_texts`: reads only the vocabulary, from vocab.json,
// tokenizer.json or vocab.txt, and a separate target's from target_vocab.json; without these files
// the entries are named by their ids. Throws IoError if a file cannot be read, or has an id twice
// or beyond the model's rows.
PretrainedTokenizers their_tokenizers(const PretrainedFiles& files, const TheirConfig& config,
                                      std::optional<Index> begin, bool token_texts);

// Whether the directory has a file with the texts of entries.
bool has_token_texts(const fs::path& directory);

// Where marks come from. Decoder: begin from tokenizer.json's template, or else `bos_token_id`; end
// from `eos_token_id`, preferably an id in both generation_config.json and config.json. Encoder:
// both from the template. If none has a mark: special_tokens_map.json or tokenizer_config.json, or
// else the usual names. `begin`, if given, is the begin mark. Throws ConfigError, with both files,
// if `bos_token_id` of a decoder is not the token that the template puts first.
FileMarks their_marks(const PretrainedFiles& files, const TheirConfig& config,
                      const FileVocabulary& vocabulary, std::optional<Index> begin);

// The marks that the tokenizer adds to a text. `file_ids`: the ids of our entries in the files. An
// end mark in front only counts if it differs from the begin mark. nullopt: no file tells. Throws
// IoError.
std::optional<AddedMarks> added_marks(const fs::path& directory,
                                      const std::vector<Index>& file_ids);

}  // namespace tapehead
