// Byte-level BPE and WordPiece in tokenizer.json.
#include "datasets/tokenizers/export/parts.hpp"

namespace tapehead {

TokenizerParts parts_of(const ByteBpe& tokenizer) {
  const BytePairs& pairs = tokenizer.pairs();
  const MarkTexts marks = apart_from(pairs.entries, {});
  Json merges = Json::array();
  for (const auto& [left, right] : pairs.merges) {
    merges.push_back(left + ' ' + right);
  }
  return {.marks = marks,
          .normalizer = {},
          .pre_tokenizer = byte_level(true),
          .model = bpe_model(marks, pairs.entries, std::move(merges)),
          .decoder = byte_level(true)};
}

// Punctuation is cut off, so no text gives a mark.
TokenizerParts parts_of(const WordPiece& tokenizer) {
  const std::vector<std::string> entries = without_marks(tokenizer.vocabulary());
  const MarkTexts marks = apart_from(entries, bert_marks());
  const WordPieceOptions& options = tokenizer.options();
  return {.marks = marks,
          .normalizer = {{"type", "BertNormalizer"},
                         {"clean_text", options.words.clean},
                         {"handle_chinese_chars", options.words.chinese_characters},
                         {"strip_accents", options.words.strip_accents},
                         {"lowercase", options.words.lower_case}},
          .pre_tokenizer = {{"type", "BertPreTokenizer"}},
          .model = {{"type", "WordPiece"},
                    {"unk_token", marks.unknown},
                    {"continuing_subword_prefix", WordPiece::goes_on},
                    {"max_input_chars_per_word", options.longest_word},
                    {"vocab", ids_of(marks, entries)}},
          .decoder = {{"type", "WordPiece"}, {"prefix", WordPiece::goes_on}, {"cleanup", true}}};
}

}  // namespace tapehead
