// The tokenizers of a model of another program or, where they cannot be read, its vocabulary: a
// text is then given as its tokens, with blanks between them; and its marks.
#pragma once

#include "interchange/pretrained_files.hpp"
#include "interchange/tokenizers/pretrained_tokenizers.hpp"
#include "interchange/tokenizers/tokenizer_parts.hpp"

namespace tapehead {

// `begin`: as their_marks takes it. `token_texts`: no tokenizer is read. The entries are those of
// vocab.json, tokenizer.json or vocab.txt, those of a target's own vocabulary of target_vocab.json;
// without these files they are called by their numbers. Throws IoError if a file cannot be read, or
// has an id twice or beyond the rows of the model.
PretrainedTokenizers their_tokenizers(const PretrainedFiles& files, const TheirConfig& config,
                                      std::optional<Index> begin, bool token_texts);

// Whether the directory has a file with the names of entries.
bool has_token_texts(const std::filesystem::path& directory);

// A decoder begins with what `tokenizer.json` puts in front of a text, or else with the
// `bos_token_id` of generation_config.json or config.json, and ends with the `eos_token_id` of
// generation_config.json or config.json: of lists, with an id that is in both. An encoder has the
// marks that `tokenizer.json` puts around a text. Then those count that tokenizer_config.json
// or special_tokens_map.json names, and last the usual names. `begin`, if it is given, is the begin
// mark. Throws ConfigError, with both files, if a decoder's first token is not the same in both.
FileMarks their_marks(const PretrainedFiles& files, const TheirConfig& config,
                      const FileVocabulary& vocabulary, std::optional<Index> begin);

// What the tokenizer adds to a text: the begin mark in front of it, also with the end mark behind
// it, or the begin mark behind it alone, an end mark that is no begin mark in front of it, or none
// of these. `file_ids`: of our entries. Absent: no file says it. Throws IoError.
std::optional<AddedMarks> added_marks(const std::filesystem::path& directory,
                                      const std::vector<Index>& file_ids);

}  // namespace tapehead
