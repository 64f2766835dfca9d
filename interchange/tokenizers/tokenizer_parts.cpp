#include "interchange/tokenizers/tokenizer_parts.hpp"

#include "core/text.hpp"

namespace tapehead {

namespace {

Json mark_item(const std::string& mark, int type) {
  return {{"SpecialToken", {{"id", mark}, {"type_id", type}}}};
}

// The text of the begin or end mark.
const std::string& text_of(const MarkTexts& texts, TokenId mark) {
  return mark == begin_id ? texts.begin : texts.end;
}

// The template for the texts `names` (A, B, ...) with their marks.
Json template_of(const MarkTexts& texts, const PretrainedMarks& marks, std::string_view names) {
  Json items = Json::array();
  if (const auto mark = marks.added.before) {
    items.push_back(mark_item(text_of(texts, *mark), 0));
  }
  int type = 0;
  for (const char name : names) {
    items.push_back({{"Sequence", {{"id", std::string(1, name)}, {"type_id", type}}}});
    if (const auto mark = marks.added.behind) {
      items.push_back(mark_item(text_of(texts, *mark), type));
    }
    type = marks.token_types ? 1 : 0;
  }
  return items;
}

// {"<unk>": 0, "<s>": 1, "</s>": 2, "the": 3, ...}. Appends the entries to the list directly,
// because an insertion by key would search the whole list.
Json ids_of(const MarkTexts& marks, std::span<const std::string> entries) {
  Json::object_t ids;
  ids.reserve(entries.size() + static_cast<std::size_t>(mark_count));
  for (const std::string& mark : {marks.unknown, marks.begin, marks.end}) {
    ids.emplace_back(mark, ids.size());
  }
  for (const std::string& entry : entries) {
    if (utf8_valid_bytes(entry) != entry.size()) {
      throw DataError("the entry {} is no UTF-8, and so it cannot be written for other programs",
                      shown(entry));
    }
    ids.emplace_back(entry, ids.size());
  }
  return ids;
}

constexpr std::string_view space_in_line = "[ \\t\\x0B\\f\\r]";  // where `units_of` cuts words
constexpr std::string_view no_space = "[^ \\t\\n\\x0B\\f\\r]";

// A word that is spelled like the begin or end mark becomes the unknown mark, because the
// vocabulary contains the marks as words. The WordPiece decoder puts a space before each word
// except the first and words that begin with `prefix`. No word begins with a space. Line ends get
// no spaces around them.
TokenizerParts words_in_json(std::span<const std::string> entries) {
  TokenizerParts parts{
      .marks = apart_from(entries, {}),
      .pre_tokenizer = sequence_of(
          "pretokenizers", {split_at({{"Regex", fmt::format("{}+", space_in_line)}}, "Removed"),
                            split_at({{"String", line_end}}, "Isolated")}),
      .decoder =
          sequence_of("decoders", {{{"type", "WordPiece"}, {"prefix", " "}, {"cleanup", false}},
                                   {{"type", "Fuse"}},
                                   replace_text(" \n", "\n"),
                                   replace_text("\n ", "\n")})};
  parts.normalizer = replace_pattern(
      fmt::format("(?<!{0})({1}|{2})(?!{0})", no_space, parts.marks.begin, parts.marks.end),
      parts.marks.unknown);
  parts.model = {{"type", "WordLevel"},
                 {"vocab", ids_of(parts.marks, entries)},
                 {"unk_token", parts.marks.unknown}};
  return parts;
}

// BPE without merges splits a text into characters.
TokenizerParts characters_in_json(std::span<const std::string> entries) {
  const MarkTexts marks = apart_from(entries, {});
  return {.marks = marks,
          .model = bpe_model(marks, entries, Json::array()),
          .decoder = {{"type", "Fuse"}}};
}

// Each byte is written as its byte character.
TokenizerParts bytes_in_json(std::span<const std::string> bytes) {
  TokenizerParts parts = characters_in_json(mapped(bytes, spelled_bytes));
  parts.pre_tokenizer = byte_level(false);
  parts.decoder = byte_level(false);
  return parts;
}

}  // namespace

MarkTexts apart_from(std::span<const std::string> entries, MarkTexts marks) {
  for (std::string* mark : {&marks.unknown, &marks.begin, &marks.end, &marks.mask}) {
    while (std::ranges::find(entries, *mark) != entries.end()) {
      *mark = mark->front() + *mark + mark->back();
    }
  }
  return marks;
}

Json named_marks(const MarkTexts& texts, const PretrainedMarks& marks) {
  Json named{{"bos_token", texts.begin},
             {"eos_token", texts.end},
             {"unk_token", texts.unknown},
             {"pad_token", marks.padding == end_id ? texts.end : texts.begin}};
  if (marks.added == AddedMarks::begin_and_end) {
    named["cls_token"] = texts.begin;
    named["sep_token"] = texts.end;
  }
  if (marks.mask) {
    named["mask_token"] = texts.mask;
  }
  return named;
}

Json tokenizer_config(const MarkTexts& texts, const PretrainedMarks& marks) {
  Json inputs = Json::array({"input_ids"});
  if (marks.token_types) {
    inputs.push_back("token_type_ids");
  }
  inputs.push_back("attention_mask");
  Json config{{"tokenizer_class", "PreTrainedTokenizerFast"},
              {"clean_up_tokenization_spaces", false},
              // Marks in a text are read as text, except if the model has a mask to be found in it.
              {"split_special_tokens", !marks.mask},
              {"model_input_names", std::move(inputs)}};
  if (marks.longest > 0) {
    config["model_max_length"] = marks.longest;
  }
  config.update(named_marks(texts, marks));
  return config;
}

Json post_processor(const MarkTexts& texts, const PretrainedMarks& marks) {
  if (marks.added == AddedMarks::none) {
    return nullptr;
  }
  Json special = Json::object();
  for (const TokenId id : {begin_id, end_id}) {
    if (marks.added.before == id || marks.added.behind == id) {
      const std::string& mark = text_of(texts, id);
      special[mark] = {{"id", mark}, {"ids", {id}}, {"tokens", {mark}}};
    }
  }
  return {{"type", "TemplateProcessing"},
          {"single", template_of(texts, marks, "A")},
          {"pair", template_of(texts, marks, "AB")},
          {"special_tokens", std::move(special)}};
}

Json bpe_model(const MarkTexts& marks, std::span<const std::string> entries, Json merges) {
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", marks.unknown},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"ignore_merges", false},
          {"vocab", ids_of(marks, entries)},
          {"merges", std::move(merges)}};
}

Json byte_level(bool chunks) {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", false},
          {"trim_offsets", true},
          {"use_regex", chunks}};
}

Json sequence_of(const char* name, Json steps) {
  return {{"type", "Sequence"}, {name, std::move(steps)}};
}

Json replace_text(std::string_view text, std::string_view by) {
  return {{"type", "Replace"}, {"pattern", {{"String", text}}}, {"content", by}};
}

Json replace_pattern(std::string_view regex, std::string_view by) {
  return {{"type", "Replace"}, {"pattern", {{"Regex", regex}}}, {"content", by}};
}

Json split_at(Json pattern, const char* behavior) {
  return {{"type", "Split"},
          {"pattern", std::move(pattern)},
          {"behavior", behavior},
          {"invert", false}};
}

// Byte-level BPE and WordPiece in tokenizer.json.

TokenizerParts parts_of(const ByteBpe& tokenizer) {
  const BytePairs& pairs = tokenizer.pairs();
  const MarkTexts marks = apart_from(pairs.entries, {});
  Json merges = Json::array();
  for (const auto& [left, right] : pairs.merges) {
    merges.push_back(left + ' ' + right);
  }
  return {.marks = marks,
          .pre_tokenizer = byte_level(true),
          .model = bpe_model(marks, pairs.entries, std::move(merges)),
          .decoder = byte_level(true)};
}

// WordPiece cuts off punctuation, so the text of a mark is never read as a mark.
TokenizerParts parts_of(const WordPiece& tokenizer) {
  const std::span<const std::string> entries = tokenizer.vocabulary().entries();
  const MarkTexts marks =
      apart_from(entries, {.unknown = "[UNK]", .begin = "[CLS]", .end = "[SEP]", .mask = "[MASK]"});
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

TokenizerParts parts_of(const VocabularyTokenizer& tokenizer) {
  const std::span<const std::string> entries = tokenizer.vocabulary().entries();
  return tokenizer.unit() == Unit::word        ? words_in_json(entries)
         : tokenizer.unit() == Unit::character ? characters_in_json(entries)
                                               : bytes_in_json(entries);
}

}  // namespace tapehead
