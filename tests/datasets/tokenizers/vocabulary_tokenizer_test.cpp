// Word and character tokenizers, and their vocabulary file. Also parallel work on many lines, and
// the word of each token: the tokens of a word give the space-separated word of the text.
#include "datasets/tokenizers/vocabulary.hpp"

#include <atomic>

#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/byte_bpe.hpp"
#include "datasets/tokenizers/parallel_lines.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "datasets/tokenizers/word_piece.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_corpus.hpp"

namespace tapehead { namespace {

VocabularyTokenizer trained(std::vector<std::string> lines, Unit unit, Index limit = 100) {
  return {count_units(lines, unit, limit), unit};
}

TEST(WordTokenizer, frequent_words_come_first_then_by_bytes_up_to_the_limit) {
  const auto tokenizer = trained({"b c a", "c  b\tc", "d"}, Unit::word);
  EXPECT_EQ(tokenizer.size(), mark_count + 4);
  EXPECT_THAT(tokenizer.encode("c b a d"), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(entries_of(tokenizer, {unknown_id, begin_id, end_id, 3, 7, -1}),
              ElementsAre("<unk>", "<s>", "</s>", "c", "<unk>", "<unk>"));
  const auto limited = trained({"b c a", "c  b\tc", "d"}, Unit::word, 5);  // with the marks
  EXPECT_EQ(limited.size(), 5);
  EXPECT_THAT(limited.encode("a b c"), ElementsAre(unknown_id, 4, 3));
  EXPECT_THAT(trained({"<unk> </s>"}, Unit::word).encode("</s> <unk> <s>"),
              ElementsAre(3, 4, unknown_id))
      << "a word that looks like a mark is a word";
}

TEST(WordTokenizer, text_comes_back_with_single_spaces_and_all_characters) {
  const auto words = trained({"ein hund läuft ."}, Unit::word);
  EXPECT_EQ(words.decode(words.encode("  ein  hund\tläuft . ")), "ein hund läuft .");
  EXPECT_EQ(words.decode(words.encode("ein pferd läuft")), "ein ⁇ läuft");
  EXPECT_EQ(words.decode({begin_id, 3, end_id}), words.entry(3));
  EXPECT_EQ(words.decode({}), "");
  EXPECT_THAT(words.encode(" "), IsEmpty());
  // Characters are code points.
  const auto characters = trained({"zwölf €", "öö"}, Unit::character);
  EXPECT_EQ(characters.entry(3), "ö");
  EXPECT_EQ(characters.encode("zwölf €").size(), 7U);
  EXPECT_EQ(characters.decode(characters.encode("zwölf €")), "zwölf €");
  EXPECT_EQ(characters.decode(characters.encode("wolf")), "w⁇lf");
  EXPECT_THAT(characters.encode("\xFF"
                                "f"),
              ElementsAre(unknown_id, characters.encode("f")[0]));
}

TEST(SymbolTokenizer, a_symbol_is_its_number_after_the_marks) {
  const auto tokenizer = numbered_tokenizer({{"{}", 12}});
  EXPECT_EQ(tokenizer->size(), mark_count + 12);
  EXPECT_THAT(tokenizer->encode("0 11 5"), ElementsAre(entry_id(0), entry_id(11), entry_id(5)));
  EXPECT_EQ(tokenizer->encode("12 05 x -1"), std::vector<TokenId>(4, unknown_id));
  EXPECT_EQ(tokenizer->decode({entry_id(0), entry_id(11)}), "0 11");
}

TEST(VocabularyFile, what_is_saved_is_loaded_and_damage_is_refused_with_the_file_named) {
  const TemporaryDirectory directory;
  const auto words = trained({"der alte hund", "der ball"}, Unit::word);
  words.save(directory / "words");
  const auto loaded = load_tokenizer(directory / "words");
  ASSERT_EQ(loaded->size(), words.size());
  for (TokenId id = 0; id < loaded->size(); ++id) {
    EXPECT_EQ(loaded->entry(id), words.entry(id));
  }
  const auto characters = trained({"a b", "c"}, Unit::character);
  characters.save(directory / "characters");
  EXPECT_EQ(load_tokenizer(directory / "characters")->encode("a bc"), characters.encode("a bc"));
  trained({}, Unit::word).save(directory / "empty");
  EXPECT_EQ(load_tokenizer(directory / "empty")->size(), mark_count);
  const auto error = [&] { return io_error_of([&] { load_tokenizer(directory / "joint"); }); };
  EXPECT_THAT(error(), HasSubstr("joint.vocabulary nor"));
  words.save(directory / "joint");
  const std::string whole = read_file(directory / "joint.vocabulary");
  for (const auto& [content, fault] : {std::pair{whole.substr(0, whole.size() - 1), "is damaged"},
                                       {whole.substr(0, whole.size() - 5), "is damaged"},
                                       {whole.substr(0, whole.size() - 1) + "x", "is damaged"},
                                       {"tapehead-vocabulary\n", "is damaged"},
                                       {"", "is not a vocabulary written by tapehead"},
                                       {"der\nhund\n", "is not a vocabulary"}}) {
    directory.write("joint.vocabulary", content);
    EXPECT_THAT(error(), HasSubstr(fmt::format("joint.vocabulary {}", fault)));
  }
  save_vocabulary(std::vector<std::string>{"a"}, "syllable", directory / "joint");
  EXPECT_THAT(error(), HasSubstr("joint.vocabulary is a vocabulary of an unknown kind, syllable"));
}

TEST(TokenizerFiles, one_for_both_sides_comes_back_as_one_and_two_as_two) {
  const TemporaryDirectory run;
  EXPECT_FALSE(has_tokenizers(run / "joint"));
  const auto joint = numbered_tokenizer({{"{}", 3}});
  save_tokenizers({joint, joint}, run / "joint");
  EXPECT_TRUE(has_tokenizers(run / "joint"));
  const Tokenizers one = load_tokenizers(run / "joint");
  EXPECT_EQ(one.source, one.target);
  EXPECT_EQ(one.source->size(), joint->size());

  save_tokenizers({joint, numbered_tokenizer({{"{}", 4}})}, run / "two");
  EXPECT_TRUE(has_tokenizers(run / "two"));
  const Tokenizers two = load_tokenizers(run / "two");
  EXPECT_EQ(two.source->size(), mark_count + 3);
  EXPECT_EQ(two.target->size(), mark_count + 4);
  std::filesystem::remove(run / "two/target.vocabulary");
  EXPECT_FALSE(has_tokenizers(run / "two"));
  EXPECT_THAT(io_error_of([&] { load_tokenizers(run / "two"); }),
              HasSubstr("target.vocabulary nor"));
}

TEST(Stretches, hold_every_line_once) {
  for (const Index lines : {0, 1, 999, 1000, 1001, 5500}) {
    std::vector<std::atomic<int>> visits(static_cast<std::size_t>(lines));
    for_line_ranges(lines, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) {
        ++visits[static_cast<std::size_t>(i)];
      }
    });
    EXPECT_TRUE(std::ranges::all_of(visits, [](const auto& count) { return count == 1; })) << lines;
  }
}

std::vector<std::string> words_between_spaces(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

// The text of each word, from the tokens with its number.
std::vector<std::string> words_by_number(const Tokenizer& tokenizer, const std::string& line) {
  const std::vector<TokenId> tokens = tokenizer.encode(line);
  const auto numbers = words_of_tokens(tokenizer, tokens);
  std::vector<std::vector<TokenId>> words;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    words.resize(static_cast<std::size_t>(numbers.value().at(i)) + 1);
    words.back().push_back(tokens[i]);
  }
  std::vector<std::string> texts;
  for (const std::vector<TokenId>& word : words) {
    texts.push_back(tokenizer.decode(word));
  }
  return texts;
}

TEST(TokenWords, are_what_spaces_separate_and_hold_the_spaces_before_merged_bytes) {
  const std::vector<std::string> lines = read_lines(corpus / "train.de");
  const ByteBpe bytes(train_byte_bpe(lines, 300));
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::unigram}) {
    const SentencePieceTokenizer tokenizer(
        train_sentencepiece(lines, {.kind = kind, .vocabulary = 60}));
    for (const std::string& line : lines) {
      std::vector<std::string> words = words_between_spaces(line);
      EXPECT_EQ(words_by_number(tokenizer, line), words);
      for (std::size_t i = 1; i < words.size(); ++i) {
        words[i].insert(0, " ");
      }
      EXPECT_EQ(words_by_number(bytes, line), words) << "each includes the space before it";
    }
    EXPECT_GT(tokenizer.encode(lines[0]).size(), words_between_spaces(lines[0]).size())
        << "so words have several tokens";
    EXPECT_TRUE(words_of_tokens(tokenizer, {})->empty());
  }
  const ByteBpe plain(train_byte_bpe({}, smallest_byte_bpe));
  EXPECT_THAT(words_by_number(plain, "ab   c  d"), ElementsAre("ab", "   c", "  d"));
  EXPECT_THAT(words_by_number(plain, "  ab c"), ElementsAre("  ab", " c"));
  EXPECT_THAT(words_by_number(WordPiece({"ab", "##c", ",", "d"}, {}), "abcc, d abc"),
              ElementsAre("abcc", ",", "d", "abc"));
  // Tokens that are no parts of words:
  EXPECT_FALSE(words_of_tokens(*numbered_tokenizer({{"{}", 5}}), {3, 4}).has_value());
  EXPECT_FALSE(words_of_tokens(VocabularyTokenizer(all_bytes(), Unit::byte), {70}).has_value());
}

}}  // namespace tapehead
