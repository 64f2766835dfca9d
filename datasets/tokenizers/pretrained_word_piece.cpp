#include "datasets/tokenizers/pretrained_word_piece.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "datasets/tokenizers/pretrained_entries.hpp"
#include "datasets/tokenizers/tokenizer_json.hpp"
#include "datasets/tokenizers/word_piece.hpp"

namespace tapehead {

namespace {

PretrainedTokenizer word_piece_with(const FileVocabulary& vocabulary, const FindMarks& find_marks,
                                    const WordPieceOptions& options) {
  PretrainedEntries entries = renumbered(vocabulary, find_marks(vocabulary));
  return {.tokenizer = std::make_shared<WordPiece>(std::move(entries.entries), options),
          .file_ids = std::move(entries.file_ids),
          .mask = entries.mask};
}

// Where nothing is said of accents, they go with the case.
bool strips_accents(const nlohmann::json& part, bool lower_case) {
  const auto found = part.find("strip_accents");
  return found == part.end() || found->is_null() ? lower_case : found->get<bool>();
}

}  // namespace

PretrainedTokenizer word_piece_of_json(const nlohmann::json& tokenizer,
                                       const FindMarks& find_marks) {
  expect_type(tokenizer, "normalizer", "BertNormalizer");
  expect_type(tokenizer, "pre_tokenizer", "BertPreTokenizer");
  expect_options(tokenizer, "model",
                 {{"unk_token", "[UNK]"}, {"continuing_subword_prefix", WordPiece::goes_on}});
  const nlohmann::json& normalizer = tokenizer.at("normalizer");
  const bool lower_case = normalizer.value("lowercase", true);
  return word_piece_with(
      vocabulary_of(tokenizer), find_marks,
      {.words = {.clean = normalizer.value("clean_text", true),
                 .chinese_characters = normalizer.value("handle_chinese_chars", true),
                 .strip_accents = strips_accents(normalizer, lower_case),
                 .lower_case = lower_case},
       .longest_word = tokenizer.at("model").value("max_input_chars_per_word", Index{100})});
}

PretrainedTokenizer word_piece_of_files(std::string_view vocabulary, const nlohmann::json& config,
                                        const FindMarks& find_marks) {
  FileVocabulary entries;
  for (Index id = 0; !vocabulary.empty(); ++id) {
    const std::size_t end = std::min(vocabulary.find('\n'), vocabulary.size());
    std::string_view line = vocabulary.substr(0, end);
    vocabulary.remove_prefix(std::min(end + 1, vocabulary.size()));
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    entries[std::string(line)] = id;
  }
  expect_options({{"tokenizer_config", config}}, "tokenizer_config",
                 {{"do_basic_tokenize", true}, {"unk_token", "[UNK]"}});
  const bool lower_case = config.value("do_lower_case", true);
  return word_piece_with(
      entries, find_marks,
      {.words = {.chinese_characters = config.value("tokenize_chinese_chars", true),
                 .strip_accents = strips_accents(config, lower_case),
                 .lower_case = lower_case}});
}

}  // namespace tapehead
