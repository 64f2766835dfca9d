// Reads byte-level BPE and WordPiece from the files of published models.
#include "interchange/tokenizers/pretrained_tokenizers.hpp"

namespace tapehead {

namespace {

[[noreturn]] void refuse(std::string_view what, const nlohmann::json& value,
                         const nlohmann::json& supported) {
  throw DataError("{} is {}, which is not supported (only {})", what,
                  value.is_string() ? fmt::format("`{}`", value.get<std::string>()) : value.dump(),
                  supported.dump());
}

// A part of a JSON object; null if it is missing.
nlohmann::json part_of(const nlohmann::json& of, std::string_view part) {
  const auto found = of.find(part);
  return found == of.end() ? nlohmann::json() : *found;
}

// Throws DataError unless the part, which may be missing, has this type. For a sequence, the error
// shows its steps with their patterns.
void expect_type(const nlohmann::json& of, std::string_view part, const nlohmann::json& expected) {
  const nlohmann::json found = part_of(of, part);
  const nlohmann::json type = found.is_null() ? nlohmann::json() : found.at("type");
  if (type != expected) {
    refuse(part, type == "Sequence" ? found : type, expected);
  }
}

// Throws DataError unless all these options of a part have their usual values. A missing, null or
// empty option counts as usual.
void expect_options(const nlohmann::json& of, std::string_view part,
                    std::initializer_list<std::pair<const char*, nlohmann::json>> expected) {
  const nlohmann::json found = part_of(of, part);
  for (const auto& [name, usual] : expected) {
    const nlohmann::json value = part_of(found, name);
    if (!value.is_null() && value != "" && value != usual) {
      refuse(fmt::format("{}.{}", part, name), value, usual);
    }
  }
}

// The model's entries and the added marks. Throws DataError for an added token that is text.
FileVocabulary vocabulary_of(const nlohmann::json& tokenizer) {
  FileVocabulary vocabulary = vocabulary_in(tokenizer.at("model").at("vocab"));
  for (const nlohmann::json& token : part_of(tokenizer, "added_tokens")) {
    const auto content = token.at("content").get<std::string>();
    if (!token.value("special", false)) {
      throw DataError(
          "the added token `{}` is text, which is not supported (only marks: \"special\": true)",
          content);
    }
    vocabulary[content] = id_in(token.at("id"));
  }
  return vocabulary;
}

BytePairs::Pair sides_of(std::string_view merge) {
  const std::size_t space = merge.find(' ');
  if (space == 0 || space == std::string_view::npos || space + 1 == merge.size() ||
      merge.find(' ', space + 1) != std::string_view::npos) {
    throw DataError("the merge `{}` is not two entries with a space between", merge);
  }
  return {std::string(merge.substr(0, space)), std::string(merge.substr(space + 1))};
}

PretrainedTokenizer byte_bpe_with(const FileVocabulary& vocabulary,
                                  std::vector<BytePairs::Pair> merges,
                                  const FindMarks& find_marks) {
  return renumbered(vocabulary, find_marks(vocabulary), [&](std::vector<std::string> entries) {
    return std::make_shared<ByteBpe>(
        BytePairs{.entries = std::move(entries), .merges = std::move(merges)});
  });
}

PretrainedTokenizer word_piece_with(const FileVocabulary& vocabulary, const FindMarks& find_marks,
                                    const WordPieceOptions& options) {
  return renumbered(vocabulary, find_marks(vocabulary), [&](std::vector<std::string> entries) {
    return std::make_shared<WordPiece>(std::move(entries), options);
  });
}

// Without the option `strip_accents`, accents are removed if text becomes lower case.
bool strips_accents(const nlohmann::json& part, bool lower_case) {
  const auto found = part.find("strip_accents");
  return found == part.end() || found->is_null() ? lower_case : found->get<bool>();
}

}  // namespace

PretrainedTokenizer byte_bpe_of_json(const nlohmann::json& tokenizer, const FindMarks& find_marks) {
  expect_type(tokenizer, "normalizer", nullptr);
  expect_type(tokenizer, "pre_tokenizer", "ByteLevel");
  expect_options(tokenizer, "pre_tokenizer", {{"add_prefix_space", false}, {"use_regex", true}});
  expect_options(tokenizer, "model",
                 {{"dropout", nullptr},
                  {"continuing_subword_prefix", nullptr},
                  {"end_of_word_suffix", nullptr},
                  {"byte_fallback", false},
                  {"ignore_merges", false}});
  std::vector<BytePairs::Pair> pairs;
  for (const nlohmann::json& merge : tokenizer.at("model").at("merges")) {
    // "a b" or, since version 0.20 of the package, ["a", "b"].
    pairs.push_back(merge.is_string() ? sides_of(merge.get_ref<const std::string&>())
                                      : merge.get<BytePairs::Pair>());
  }
  return byte_bpe_with(vocabulary_of(tokenizer), std::move(pairs), find_marks);
}

PretrainedTokenizer byte_bpe_of_files(const FileVocabulary& vocabulary, std::string_view merges,
                                      const nlohmann::json& config, const FindMarks& find_marks) {
  expect_options({{"tokenizer_config", config}}, "tokenizer_config", {{"add_prefix_space", false}});
  std::vector<BytePairs::Pair> pairs;
  for (const std::string_view line : file_lines(merges)) {
    if (!line.empty() && !line.starts_with("#version")) {
      pairs.push_back(sides_of(line));
    }
  }
  return byte_bpe_with(vocabulary, std::move(pairs), find_marks);
}

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
  Index id = 0;
  for (const std::string_view line : file_lines(vocabulary)) {
    entries[std::string(line)] = id++;
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
