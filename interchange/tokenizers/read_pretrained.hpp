// Reads a tokenizer that was made elsewhere from the files that models are published with.
#pragma once

#include <unordered_map>

#include <nlohmann/json.hpp>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// A tokenizer whose ids are ours: unknown, begin and end mark, then the other entries in the order
// of the files, without the mask. So row i of our embedding is row file_ids[i] of the model's.
// Marks in the files are no text: `encode` never gives them.
struct PretrainedTokenizer {
  std::shared_ptr<const Tokenizer> tokenizer{};
  std::vector<Index> file_ids{};  // the id in the files of each of our ids; -1: the files have none
  std::optional<Index> mask{};    // the id in the files of the mask, which is `mask_id` here
};

// The tokenizers of both sides.
struct PretrainedTokenizers {
  PretrainedTokenizer source;
  PretrainedTokenizer target;
};

// The id of each entry in the files.
using FileVocabulary = std::unordered_map<std::string, Index>;

// The ids in the files of the marks; none: the model has no such mark.
struct FileMarks {
  std::optional<Index> unknown{}, begin{}, end{}, mask{};
};

using FindMarks = std::function<FileMarks(const FileVocabulary&)>;

// Finds marks by their usual names. <|endoftext|> both begins and ends a text.
FileMarks marks_by_name(const FileVocabulary& vocabulary);

using MakeTokenizer =
    std::function<std::shared_ptr<const Tokenizer>(std::vector<std::string> entries)>;

// `make` gets the entries without those that are marks, in the order of their ids. Throws DataError
// if two entries have the same id.
PretrainedTokenizer renumbered(const FileVocabulary& vocabulary, const FileMarks& marks,
                               const MakeTokenizer& make);

// The lines of a text, without what ends them.
std::vector<std::string_view> file_lines(std::string_view text);

// From the first of these that the directory contains:
// - `tokenizer.json`, with byte-level BPE as in GPT-2, or WordPiece as in BERT;
// - `vocab.json` and `merges.txt`: byte-level BPE as in GPT-2;
// - `vocab.txt`: WordPiece as in BERT, which turns text into lower case, without accents, unless
//   `tokenizer_config.json` says otherwise.
// If the first cannot be read, no other is tried: it may say what the others do not. `find_marks`:
// which entries are marks. Throws IoError, with the file, if there is none of them, or if one is
// damaged, or is of another type; the message names what is not supported: the normaliser,
// pre-tokeniser, pattern, model or option.
PretrainedTokenizer read_pretrained_tokenizer(const std::filesystem::path& directory,
                                              const FindMarks& find_marks = marks_by_name);

// The ids of the marks that a tokenizer puts around a text.
struct MarksAround {
  std::vector<Index> before;
  std::vector<Index> behind;
};

// As `tokenizer.json` says, with a TemplateProcessing, or the processor of BERT or RoBERTa; none if
// there is no `tokenizer.json`. Throws IoError.
std::optional<MarksAround> marks_around_text(const std::filesystem::path& directory);

// The tokenizer of a `tokenizer.json`, or of the files of GPT-2 (entries of `vocab.json`, text of
// `merges.txt`) or BERT (text of `vocab.txt`, an entry a line), with the content of
// `tokenizer_config.json`, {} if there is none. Each throws DataError that names what is not
// supported.
PretrainedTokenizer byte_bpe_of_json(const nlohmann::json& tokenizer, const FindMarks& find_marks);
PretrainedTokenizer byte_bpe_of_files(const FileVocabulary& vocabulary, std::string_view merges,
                                      const nlohmann::json& config, const FindMarks& find_marks);
PretrainedTokenizer word_piece_of_json(const nlohmann::json& tokenizer,
                                       const FindMarks& find_marks);
PretrainedTokenizer word_piece_of_files(std::string_view vocabulary, const nlohmann::json& config,
                                        const FindMarks& find_marks);

}  // namespace tapehead
