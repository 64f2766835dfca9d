// Word and character tokenizers, and their vocabulary file.
#include "datasets/tokenizers/vocabulary.hpp"

#include "core/files/files.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

VocabularyTokenizer trained(std::vector<std::string> lines, Unit unit, Index limit = 100) {
  return {count_units(lines, unit, limit), unit};
}

TEST(WordTokenizer, frequent_words_come_first_then_by_bytes) {
  const auto tokenizer = trained({"b c a", "c  b\tc", "d"}, Unit::word);
  EXPECT_EQ(tokenizer.size(), mark_count + 4);
  EXPECT_THAT(tokenizer.encode("c b a d"), ElementsAre(3, 4, 5, 6));
  EXPECT_EQ(tokenizer.entry(unknown_id), "<unk>");
  EXPECT_EQ(tokenizer.entry(begin_id), "<s>");
  EXPECT_EQ(tokenizer.entry(end_id), "</s>");
  EXPECT_EQ(tokenizer.entry(3), "c");
  EXPECT_EQ(tokenizer.entry(7), "<unk>");
  EXPECT_EQ(tokenizer.entry(-1), "<unk>");
}

TEST(WordTokenizer, the_limit_counts_the_marks_and_the_rest_is_unknown) {
  const auto tokenizer = trained({"b c a", "c  b\tc", "d"}, Unit::word, 5);
  EXPECT_EQ(tokenizer.size(), 5);
  EXPECT_THAT(tokenizer.encode("a b c"), ElementsAre(unknown_id, 4, 3));
}

TEST(WordTokenizer, text_comes_back_with_single_spaces) {
  const auto tokenizer = trained({"ein hund läuft ."}, Unit::word);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("  ein  hund\tläuft . ")), "ein hund läuft .");
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("ein pferd läuft")), "ein ⁇ läuft");
  EXPECT_EQ(tokenizer.decode({begin_id, 3, end_id}), tokenizer.entry(3));
  EXPECT_EQ(tokenizer.decode({}), "");
  EXPECT_THAT(tokenizer.encode(" "), ElementsAre());
}

TEST(WordTokenizer, a_word_that_looks_like_a_mark_is_a_word) {
  const auto tokenizer = trained({"<unk> </s>"}, Unit::word);
  EXPECT_THAT(tokenizer.encode("</s> <unk> <s>"), ElementsAre(3, 4, unknown_id));
}

TEST(CharacterTokenizer, characters_are_code_points) {
  const auto tokenizer = trained({"zwölf €", "öö"}, Unit::character);
  EXPECT_EQ(tokenizer.entry(3), "ö");
  const auto tokens = tokenizer.encode("zwölf €");
  EXPECT_EQ(tokens.size(), 7U);
  EXPECT_EQ(tokenizer.decode(tokens), "zwölf €");
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("wolf")), "w⁇lf");
  EXPECT_THAT(tokenizer.encode("\xFF"
                               "f"),
              ElementsAre(unknown_id, tokenizer.encode("f")[0]));
}

TEST(SymbolTokenizer, a_symbol_is_its_number_after_the_marks) {
  const auto tokenizer = numbered_tokenizer({{"{}", 12}});
  EXPECT_EQ(tokenizer->size(), mark_count + 12);
  EXPECT_THAT(tokenizer->encode("0 11 5"),
              ElementsAre(mark_count, mark_count + 11, mark_count + 5));
  EXPECT_THAT(tokenizer->encode("12 05 x -1"),
              ElementsAre(unknown_id, unknown_id, unknown_id, unknown_id));
  EXPECT_EQ(tokenizer->decode({mark_count, mark_count + 11}), "0 11");
}

class VocabularyFile : public Test {
 protected:
  VocabularyFile() { tokenizer_.save(directory_ / "joint"); }

  std::string damage_in(std::string_view content) const {
    write_file_atomically(file_, content);
    return io_error_of([&] { load_tokenizer(directory_ / "joint"); });
  }

  VocabularyTokenizer tokenizer_ = trained({"der alte hund", "der ball"}, Unit::word);
  TemporaryDirectory directory_;
  std::filesystem::path file_ = directory_ / "joint.vocabulary";
};

TEST_F(VocabularyFile, what_is_saved_is_loaded) {
  const auto loaded = load_tokenizer(directory_ / "joint");
  EXPECT_EQ(loaded->size(), tokenizer_.size());
  for (TokenId id = 0; id < loaded->size(); ++id) {
    EXPECT_EQ(loaded->entry(id), tokenizer_.entry(id));
  }
  const auto characters = trained({"a b", "c"}, Unit::character);
  characters.save(directory_ / "other");
  EXPECT_EQ(load_tokenizer(directory_ / "other")->encode("a bc"), characters.encode("a bc"));
}

TEST_F(VocabularyFile, an_empty_vocabulary_is_one) {
  trained({}, Unit::word).save(directory_ / "empty");
  EXPECT_EQ(load_tokenizer(directory_ / "empty")->size(), mark_count);
}

TEST_F(VocabularyFile, damage_is_refused_with_the_file_named) {
  const std::string whole = read_file(file_);
  EXPECT_THAT(damage_in(whole.substr(0, whole.size() - 1)),
              HasSubstr("joint.vocabulary is damaged"));
  EXPECT_THAT(damage_in(whole.substr(0, whole.size() - 5)),
              HasSubstr("joint.vocabulary is damaged"));
  std::string flipped = whole;
  flipped.back() = 'x';
  EXPECT_THAT(damage_in(flipped), HasSubstr("joint.vocabulary is damaged"));
  EXPECT_THAT(damage_in(""), HasSubstr("joint.vocabulary is not a vocabulary written by tapehead"));
  EXPECT_THAT(damage_in("tapehead-vocabulary\n"), HasSubstr("joint.vocabulary is damaged"));
  EXPECT_THAT(damage_in("der\nhund\n"), HasSubstr("joint.vocabulary is not a vocabulary"));
  save_vocabulary(std::vector<std::string>{"a"}, "syllable", directory_ / "joint");
  EXPECT_THAT(io_error_of([&] { load_tokenizer(directory_ / "joint"); }),
              HasSubstr("joint.vocabulary is a vocabulary of an unknown kind, syllable"));
}

TEST_F(VocabularyFile, a_missing_tokenizer_is_named) {
  EXPECT_THAT(io_error_of([&] { load_tokenizer(directory_ / "none"); }),
              HasSubstr("none.vocabulary nor"));
}

TEST(TokenizerFiles, one_for_both_sides_comes_back_as_one) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(has_tokenizers(directory / "run"));
  const auto joint = numbered_tokenizer({{"{}", 3}});
  save_tokenizers({joint, joint}, directory / "run");
  EXPECT_TRUE(has_tokenizers(directory / "run"));
  const Tokenizers loaded = load_tokenizers(directory / "run");
  EXPECT_EQ(loaded.source, loaded.target);
  EXPECT_EQ(loaded.source->size(), joint->size());
}

TEST(TokenizerFiles, two_come_back_as_two) {
  const TemporaryDirectory directory;
  save_tokenizers({numbered_tokenizer({{"{}", 3}}), numbered_tokenizer({{"{}", 4}})},
                  directory.path());
  EXPECT_TRUE(has_tokenizers(directory.path()));
  const Tokenizers loaded = load_tokenizers(directory.path());
  EXPECT_EQ(loaded.source->size(), mark_count + 3);
  EXPECT_EQ(loaded.target->size(), mark_count + 4);
  std::filesystem::remove(directory / "target.vocabulary");
  EXPECT_FALSE(has_tokenizers(directory.path()));
  EXPECT_THAT(io_error_of([&] { load_tokenizers(directory.path()); }),
              HasSubstr("target.vocabulary nor"));
}

}}  // namespace tapehead
