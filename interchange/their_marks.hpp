// Which entries of a model of another program are its marks, by their ids, and which of them its
// tokenizer adds to a text.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "interchange/pretrained_files.hpp"
#include "interchange/their_config.hpp"
#include "interchange/tokenizers/marks.hpp"
#include "interchange/tokenizers/pretrained_entries.hpp"

namespace tapehead {

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
