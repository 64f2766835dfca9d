// Tokenizers in the files that models are published with, which the package transformers loads:
// read from there and written so.
#pragma once

#include <unordered_map>

#include <nlohmann/json.hpp>

#include "datasets/tokenizers/tokenizer.hpp"
#include "interchange/tokenizers/tokenizer_parts.hpp"

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
