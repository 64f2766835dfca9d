// Reads and writes tokenizers in the file formats of published models, which the Python package
// transformers loads.
#pragma once

#include <unordered_map>

#include <nlohmann/json.hpp>

#include "interchange/tokenizers/tokenizer_parts.hpp"

namespace tapehead {

// A tokenizer with our ids: unknown, begin and end mark, then the other entries in the order of the
// files, without the mask. Row i of our embedding is row file_ids[i] of the model's. `encode`
// treats marks in a text as text.
struct PretrainedTokenizer {
  std::shared_ptr<const Tokenizer> tokenizer{};
  std::vector<Index> file_ids{};  // for each of our ids the id in the files; -1: none
  std::optional<Index> mask{};    // the mask's id in the files; our id is `mask_id`
};

struct PretrainedTokenizers {
  PretrainedTokenizer source;
  PretrainedTokenizer target;
};

// The id in the files for each entry.
using FileVocabulary = std::unordered_map<std::string, Index>;

// An id, and the ids of entries, in JSON. Both throw DataError for an id that is no whole number
// from 0.
Index id_in(const nlohmann::json& json);
FileVocabulary vocabulary_in(const nlohmann::json& json);

// The marks' ids in the files; nullopt: the model has no such mark.
struct FileMarks {
  std::optional<Index> unknown{}, begin{}, end{}, mask{};
};

using FindMarks = std::function<FileMarks(const FileVocabulary&)>;

// Finds marks by their usual names. <|endoftext|> both begins and ends a text.
FileMarks marks_by_name(const FileVocabulary& vocabulary);

using MakeTokenizer =
    std::function<std::shared_ptr<const Tokenizer>(std::vector<std::string> entries)>;

// The entries in files; the texts are not copied.
using EntriesById = std::map<Index, std::string_view>;

// `make` gets the entries that are no marks, in the order of their ids. Throws DataError if two
// entries of a FileVocabulary have the same id.
PretrainedTokenizer renumbered(EntriesById entries, const FileMarks& marks,
                               const MakeTokenizer& make);
PretrainedTokenizer renumbered(const FileVocabulary& vocabulary, const FileMarks& marks,
                               const MakeTokenizer& make);

// The lines of a text, without line ends "\n" and "\r\n".
std::vector<std::string_view> file_lines(std::string_view text);

// Reads the first of these that the directory contains:
// - `tokenizer.json`, with byte-level BPE as in GPT-2, or WordPiece as in BERT;
// - `vocab.json` and `merges.txt`: byte-level BPE as in GPT-2;
// - `vocab.txt`: WordPiece as in BERT, which turns text into lower case, without accents, unless
//   `tokenizer_config.json` says otherwise.
// If the first one cannot be read, the next is not tried, because it may contain less. `find_marks`
// tells which entries are marks. Throws IoError that names the file if none exists or the first one
// is damaged or unsupported; the message names the unsupported normaliser, pre-tokeniser, pattern,
// model or option.
PretrainedTokenizer read_pretrained_tokenizer(const fs::path& directory,
                                              const FindMarks& find_marks = marks_by_name);

// The ids of the marks that a tokenizer adds to a text.
struct MarksAround {
  std::vector<Index> before;
  std::vector<Index> behind;
};

// From the TemplateProcessing, BertProcessing or RobertaProcessing in `tokenizer.json`; nullopt if
// there is no `tokenizer.json`. Throws IoError.
std::optional<MarksAround> marks_around_text(const fs::path& directory);

// Reads a tokenizer from a parsed `tokenizer.json`; from the files of GPT-2 (entries of
// `vocab.json`, text of `merges.txt`); or from the files of BERT (text of `vocab.txt`, one entry
// per line). `config`: the content of `tokenizer_config.json`, or {}. Throws DataError that names
// the unsupported part.
PretrainedTokenizer byte_bpe_of_json(const nlohmann::json& tokenizer, const FindMarks& find_marks);
PretrainedTokenizer byte_bpe_of_files(const FileVocabulary& vocabulary, std::string_view merges,
                                      const nlohmann::json& config, const FindMarks& find_marks);
PretrainedTokenizer word_piece_of_json(const nlohmann::json& tokenizer,
                                       const FindMarks& find_marks);
PretrainedTokenizer word_piece_of_files(std::string_view vocabulary, const nlohmann::json& config,
                                        const FindMarks& find_marks);

// Writes tokenizer.json, tokenizer_config.json and special_tokens_map.json; for byte-level BPE also
// vocab.json and merges.txt, for SentencePiece also tokenizer.model. All ids are ours; a mask has
// the id `mask_id`. A mark that is spelled out in a text is read as text, but as a mark if the
// model has a mask. Throws DataError for a tokenizer that the files cannot represent
// (interchange/tokenizers/tokenizer_parts.hpp), and IoError.
void write_pretrained_tokenizer(const Tokenizer& tokenizer, const PretrainedMarks& marks,
                                const fs::path& directory);

// Reads a tokenizer of words, characters, bytes or SentencePiece subwords that we wrote; nullopt if
// tokenizer.json is not exactly what `write_pretrained_tokenizer` writes for it. Throws IoError for
// a file that cannot be read.
std::optional<PretrainedTokenizer> read_written_tokenizer(const fs::path& directory);

// Reads source.spm, target.spm, vocab.json and, if the sides have separate ids, target_vocab.json.
// A piece without an id gets the unknown mark's id. Entries with an id that are no pieces are added
// to the tokenizers, to the source only if a text can produce them. If both models have the same
// pieces and ids, the tokenizers are joint, and the target uses only pieces that target.spm marks
// used. Marian has no begin mark: a target begins with the id `begin`. Throws IoError that names
// the file.
PretrainedTokenizers read_marian_tokenizers(const fs::path& directory, Index begin);

// Writes source.spm, target.spm, vocab.json, tokenizer_config.json and special_tokens_map.json; if
// the target's ids differ or are fewer, also target_vocab.json, with `separate_vocabs`. All ids are
// ours. Sources and targets get an end mark; padding is the begin mark, with which a Marian decoder
// starts. `longest`: the most tokens of a source, including marks; 0: unlimited. Throws DataError
// unless both tokenizers are SentencePiece models, and IoError.
void write_marian_tokenizers(const Tokenizers& tokenizers, Index longest,
                             const fs::path& directory);

}  // namespace tapehead
