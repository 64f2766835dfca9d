// WordPiece: the same ids and texts as the Python package tokenizers for 5,000 texts, and files.
#include "datasets/tokenizers/word_piece.hpp"

#include <unicode/unistr.h>

#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tokenizer_fixtures.hpp"

namespace tapehead { namespace {

class WordPieceFiles : public TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Kinds, WordPieceFiles, Values("word_piece", "word_piece_cased"),
                         [](const auto& test) { return test.param; });

TEST_P(WordPieceFiles, give_the_ids_and_texts_of_the_reference) {
  const PretrainedTokenizer read = read_pretrained_tokenizer(tokenizer_fixtures / GetParam());
  const std::vector<std::string> texts = fixture_texts();
  const auto expected =
      nlohmann::json::parse(read_file(tokenizer_fixtures / (GetParam() + ".json")));
  ASSERT_EQ(expected.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::vector<TokenId> tokens = read.tokenizer->encode(texts[i]);
    ASSERT_EQ(file_ids_of(read, tokens), expected[i][1].get<std::vector<Index>>())
        << nlohmann::json(texts[i]);
    ASSERT_EQ(read.tokenizer->decode(tokens), expected[i][0].get<std::string>());
  }
}

TEST_P(WordPieceFiles, are_trained_as_the_reference_does) {
  const WordPieceOptions options = word_piece_options(GetParam() == "word_piece");
  const WordPiece trained =
      train_word_piece(read_lines(tokenizer_fixtures / "training.txt"), 1000, options);
  EXPECT_THAT(trained.vocabulary().entries(),
              ElementsAreArray(read_lines(tokenizer_fixtures / (GetParam() + "_entries.txt"))));
  EXPECT_EQ(trained.options().words.lower_case, options.words.lower_case);
}

// From the paper's code: tokenization_test.py, test_wordpiece_tokenizer and others.
WordPiece small(const WordPieceOptions& options = {}) {
  return {{"want", "##want", "##ed", "wa", "un", "runn", "##ing", ",", "hello", "\u4E2D"}, options};
}

std::vector<std::string> pieces(const WordPiece& tokenizer, std::string_view text) {
  return entries_of(tokenizer, tokenizer.encode(text));
}

struct Cut {
  std::string text;
  std::vector<std::string> entries;
  WordPieceOptions options = {};
};

TEST(WordPiece, cuts_words_into_the_longest_entries_and_names_unknown_ones) {
  const std::vector<Cut> cuts{
      {"unwanted running", {"un", "##want", "##ed", "runn", "##ing"}},
      {"unwantedX running", {"<unk>", "runn", "##ing"}},
      {" \tH\u00E9LLO,\u4E2Dwa\u4E2D\n ", {"hello", ",", "\u4E2D", "wa", "\u4E2D"}},
      {"", {}},
      {"wa\xFF hel\xC3lo", {"wa", "hello"}},  // bytes that are no text
      {"running hello", {"<unk>", "hello"}, {.longest_word = 6}},
      {"Hello h\u00E9llo", {"<unk>", "hello"}, {.words = {.lower_case = false}}},
      {"Hello h\u00E9llo", {"hello", "<unk>"}, {.words = {.strip_accents = false}}},
      {"wa\u4E2D", {"<unk>"}, {.words = {.chinese_characters = false}}},
      {"wa\u200B \uFFFD", {"<unk>", "<unk>"}, {.words = {.clean = false}}}};
  for (const auto& [text, entries, options] : cuts) {
    EXPECT_EQ(pieces(small(options), text), entries) << text;
  }
  // Only this character has two characters in lower case (The Unicode Standard, SpecialCasing.txt).
  EXPECT_THAT(basic_words("\u0130I", {.strip_accents = false}), ElementsAre("i\u0307i"));
  EXPECT_THAT(basic_words("\u0130I", {}), ElementsAre("ii"));
  EXPECT_THAT(small().unknown_parts("Hello Dog, unwanted CAT"), ElementsAre("dog", "cat"));
  const std::vector<TokenId> tokens = small().encode("Hello, dog, running");
  EXPECT_EQ(small().decode(tokens), "hello, ⁇, running");
  EXPECT_EQ(small().decode({begin_id, tokens[0], end_id}), "hello");
}

// How a character between two letters is treated, in the fixture's terms.
std::string class_of(const std::string& character) {
  const auto words = [&](bool strip_accents) {
    return basic_words("a" + character + "b",
                       {.strip_accents = strip_accents, .lower_case = false});
  };
  const std::vector<std::string> plain = words(false);
  if (plain.size() > 1) {
    return plain.size() == 2 ? "space" : "alone";
  }
  return plain[0] == "ab" ? "gone" : words(true)[0] == "ab" ? "accent" : "letter";
}

// The fixture (scripts/make_fixtures.py) has the classes of Unicode 8.0, except for part of a block
// of ideographs.
TEST(WordPiece, treats_every_character_as_the_reference) {
  std::ifstream runs(tokenizer_fixtures / "word_piece_classes.txt");
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::string kind;
  runs >> std::hex >> first >> last >> kind;
  Index letters = 0;
  for (std::uint32_t character = 0; character < 0x110000; ++character) {
    if (character == 0xD800) {
      character = 0xE000;  // surrogates are not characters
    }
    if (character > last) {
      runs >> first >> last >> kind;
    }
    const bool within = runs && character >= first;
    if (character > 0x30000 && character != first && character != last) {
      continue;  // nearly unassigned
    }
    std::string utf8;
    icu::UnicodeString(static_cast<UChar32>(character)).toUTF8String(utf8);
    ASSERT_EQ(class_of(utf8), within ? kind : "letter") << fmt::format("U+{:X}", character);
    letters += within ? 0 : 1;
  }
  EXPECT_GT(letters, 100'000);
}

// By hand: l o occurs 5 times, lo w 4 times. Then e s, s t and low e occur twice, and e comes
// first; then low es and es t, and low comes first.
TEST(WordPiece, merges_the_most_frequent_pairs_within_words) {
  const std::vector<std::string> lines{"low low Lowest", "lot lowest."};
  const WordPiece trained = train_word_piece(lines, 100, word_piece_options(true));
  EXPECT_THAT(trained.vocabulary().entries(),
              ElementsAre(".", "e", "l", "o", "s", "t", "w", "##e", "##o", "##s", "##t", "##w",
                          "lo", "low", "##es", "lowes", "lowest"));
  const WordPiece cased = train_word_piece(lines, 100, word_piece_options(false));
  EXPECT_THAT(pieces(cased, "Low"), ElementsAre("L", "##o", "##w"));
  // Without room for all characters: l and o occur 5 times and w 4 times; o and w continue a word
  // as often. With the marks, 8 entries.
  const WordPiece few = train_word_piece(std::vector<std::string>{"low low lowest", "lot lowest."},
                                         8, word_piece_options(true));
  EXPECT_EQ(few.size(), 8);
  EXPECT_THAT(pieces(few, "low wo"), ElementsAre("l", "##o", "##w", "w", "##o"));
  EXPECT_THAT(pieces(few, "lot"), ElementsAre("<unk>"));
}

TEST(WordPiece, comes_back_from_the_files_of_a_run_with_its_options) {
  const TemporaryDirectory directory;
  small({.words = {.clean = false, .strip_accents = false}, .longest_word = 12})
      .save(directory / "joint");
  const auto loaded = load_tokenizers(directory.path()).source;
  const auto& same = dynamic_cast<const WordPiece&>(*loaded);
  EXPECT_EQ(same.size(), small().size());
  EXPECT_THAT(pieces(same, "unwanted"), ElementsAre("un", "##want", "##ed"));
  EXPECT_FALSE(same.options().words.clean);
  EXPECT_TRUE(same.options().words.chinese_characters);
  EXPECT_FALSE(same.options().words.strip_accents);
  EXPECT_TRUE(same.options().words.lower_case);
  EXPECT_EQ(same.options().longest_word, 12);
  EXPECT_THAT([] { word_piece_of({"yy 1", "a"}); }, throws<DataError>("`yy 1` are no options"));
  EXPECT_THAT([] { WordPiece({""}, {}); }, throws<DataError>("empty"));
}

TEST(WordPiece, is_read_as_its_config_says) {
  const TemporaryDirectory here;
  here.write("vocab.txt", "[UNK]\nhello\nHello\n[CLS]\n[SEP]\n[MASK]\n");
  const auto first_id = [&](const std::string& config) {
    here.write("tokenizer_config.json", config);
    const PretrainedTokenizer read = read_pretrained_tokenizer(here.path());
    return file_ids_of(read, read.tokenizer->encode("Hello")).front();
  };
  EXPECT_EQ(first_id("{}"), 1);
  EXPECT_EQ(first_id(R"({"do_lower_case": false})"), 2);
  const PretrainedTokenizer read = read_pretrained_tokenizer(here.path());
  EXPECT_THAT(read.file_ids, ElementsAre(0, 3, 4, 1, 2));  // line numbers in the file, from 0
  EXPECT_EQ(read.mask, 5);
  EXPECT_THAT([&] { first_id(R"({"do_basic_tokenize": false})"); },
              throws<IoError>("tokenizer_config.do_basic_tokenize is false"));
}

struct Change {
  std::string place;
  nlohmann::json value;
  std::string error;
};

TEST(WordPiece, of_another_kind_is_refused_by_name) {
  const TemporaryDirectory here;
  const auto whole =
      nlohmann::json::parse(read_file(tokenizer_fixtures / "word_piece_cased" / "tokenizer.json"));
  for (const auto& [place, value, error] :
       {Change{"/normalizer/type", "Lowercase", "normalizer is `Lowercase`"},
        {"/normalizer", nullptr, "normalizer is null"},
        {"/pre_tokenizer/type", "Whitespace", "pre_tokenizer is `Whitespace`"},
        {"/model/unk_token", "<unk>", "model.unk_token is `<unk>`"},
        {"/model/continuing_subword_prefix", "@@", "model.continuing_subword_prefix is `@@`"}}) {
    auto json = whole;
    json[nlohmann::json::json_pointer(place)] = value;
    here.write("tokenizer.json", json.dump());
    EXPECT_THAT(io_error_of([&] { read_pretrained_tokenizer(here.path()); }), HasSubstr(error));
  }
}

}}  // namespace tapehead
