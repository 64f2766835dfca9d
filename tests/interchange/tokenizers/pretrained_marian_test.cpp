// The tokenizers of a Marian model: SentencePiece models and files of ids.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/files/files.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "interchange/tokenizers/pretrained_marian.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tapehead { namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> cat_lines(50, "the cat sees the other cat at the tree");

class MarianTokenizers : public ::testing::Test {
 protected:
  MarianTokenizers() : model(train_sentencepiece(cat_lines, {.vocabulary = 22})) {
    write_file_atomically(here / "source.spm", model);
    write_file_atomically(here / "target.spm", model);
    // As in published models: the end mark first, then the unknown mark; a mark to fill up at the
    // end. The last piece has no id.
    table = {{"</s>", 0}, {"<unk>", 1}};
    const SentencePieceTokenizer pieces(model);
    for (Index i = mark_count; i < pieces.size() - 1; ++i) {
      table[pieces.entry(static_cast<TokenId>(i))] = 40 - i;
    }
    table["<pad>"] = pad;
    write_ids();
  }

  void write_ids() const { std::ofstream(here / "vocab.json") << table.dump(); }

  static std::vector<std::string> entries_of(const Tokenizer& tokenizer, std::string_view text) {
    std::vector<std::string> entries;
    for (const TokenId token : tokenizer.encode(text)) {
      entries.push_back(tokenizer.entry(token));
    }
    return entries;
  }

  static Index id_of(const PretrainedTokenizer& read, std::string_view entry) {
    for (TokenId i = 0; i < read.tokenizer->size(); ++i) {
      if (read.tokenizer->entry(i) == entry) {
        return read.file_ids[static_cast<std::size_t>(i)];
      }
    }
    return -1;
  }

  static constexpr Index pad = 50;
  TemporaryDirectory here;
  std::string model;
  nlohmann::json table;  // the ids of vocab.json
};

TEST_F(MarianTokenizers, have_the_ids_of_the_files) {
  const PretrainedTokenizers read = read_marian_tokenizers(here.path(), pad);
  const SentencePieceTokenizer pieces(model);
  EXPECT_EQ(read.source.tokenizer->encode(cat_lines[0]), pieces.encode(cat_lines[0]));
  const Index last = pieces.size() - 1;
  const std::vector<Index>& ids = read.source.file_ids;
  ASSERT_EQ(std::ssize(ids), pieces.size());
  EXPECT_EQ(ids[unknown_id], 1);
  EXPECT_EQ(ids[begin_id], pad);
  EXPECT_EQ(ids[end_id], 0);
  EXPECT_EQ(ids[5], 35);  // 40 - 5
  EXPECT_EQ(ids[static_cast<std::size_t>(last)], 1) << "unknown there";
  EXPECT_TRUE(read.source.tokenizer->shares_file_with(*read.target.tokenizer));
}

struct MarianText {
  const char* text;
  std::vector<std::string> entries;
  std::vector<std::string> unknown{};
};

// As MarianTokenizer of transformers 5.24.0 has it, with these files: vocab.json has entries that
// are no pieces.
const std::vector<MarianText> texts_with_further_entries{
    {">>fr<< the cat", {">>fr<<", "\u2581the", "\u2581cat"}},
    {">>fr<<the", {">>fr<<", "\u2581the"}},
    {"the >>fr<<", {"\u2581the", "\u2581", "<unk>", "r", "<unk>"}, {">", ">", "f", "<", "<"}},
    {">>xx<< the", {"<unk>", "\u2581the"}, {">>xx<<"}},
    {"# the", {"\u2581", "#", "\u2581the"}},
    {"the## #", {"\u2581the", "##", "\u2581", "#"}},
    {"###", {"\u2581", "<unk>"}, {"#", "#", "#"}},
    {"the dig", {"\u2581the", "\u2581", "<unk>"}, {"d", "i", "g"}},
    {"<s>", {"\u2581", "<unk>", "s", "<unk>"}, {"<", ">"}}};

TEST_F(MarianTokenizers, know_the_entries_that_are_no_pieces) {
  table.update({{">>fr<<", 51}, {"#", 52}, {"##", 53}, {"\u2581dog", 54}});
  write_ids();
  const PretrainedTokenizers read = read_marian_tokenizers(here.path(), pad);
  EXPECT_TRUE(read.source.tokenizer->shares_file_with(*read.target.tokenizer));
  save_tokenizers({read.source.tokenizer, read.target.tokenizer}, here / "run");
  const Tokenizers saved = load_tokenizers(here / "run");
  for (const MarianText& one : texts_with_further_entries) {
    for (const auto& tokenizer : {read.source.tokenizer, saved.source, saved.target}) {
      EXPECT_EQ(entries_of(*tokenizer, one.text), one.entries) << one.text;
      EXPECT_EQ(tokenizer->unknown_parts(one.text), one.unknown) << one.text;
    }
  }
  EXPECT_EQ(id_of(read.target, ">>fr<<"), 51);
  EXPECT_EQ(id_of(read.target, "##"), 53);
  EXPECT_EQ(id_of(read.target, "\u2581dog"), 54);
}

TEST_F(MarianTokenizers, write_the_entries_that_are_no_pieces) {
  table.update({{">>fr<<", 51}, {"#", 52}, {"\u2581dog", 53}});
  write_ids();
  const PretrainedTokenizers read = read_marian_tokenizers(here.path(), pad);
  const Tokenizer& target = *read.target.tokenizer;
  const auto text_of = [&](const std::vector<std::string>& entries) {
    std::vector<TokenId> tokens;
    for (const std::string& entry : entries) {
      TokenId token = 0;
      while (target.entry(token) != entry) {
        ++token;
      }
      tokens.push_back(token);
    }
    return target.decode(tokens);
  };
  EXPECT_EQ(text_of({">>fr<<", "\u2581the", "\u2581dog", "#", "\u2581cat", "</s>"}),
            ">>fr<< the dog# cat");
  EXPECT_EQ(text_of({"<s>", "\u2581dog", "<unk>"}), "dog \u2047 ");
}

// A target may write any entry. A source has no row for those that no text gives.
TEST_F(MarianTokenizers, of_two_models_know_the_entries_of_each_other) {
  const std::vector<std::string> german_lines(50, "der hund # dort");
  write_file_atomically(here / "target.spm", train_sentencepiece(german_lines, {.vocabulary = 20}));
  table.update({{">>de<<", 51}, {"\u2581der", 52}, {"#", 53}, {"\u2581dog", 54}, {"d", 55}});
  write_ids();
  const PretrainedTokenizers read = read_marian_tokenizers(here.path(), pad);
  EXPECT_THAT(entries_of(*read.source.tokenizer, ">>de<< the d#d"),
              ElementsAre(">>de<<", "\u2581the", "\u2581", "<unk>"));
  EXPECT_EQ(id_of(read.source, "#"), 53);
  EXPECT_EQ(id_of(read.source, "d"), 55);
  EXPECT_EQ(id_of(read.source, "\u2581der"), -1);
  EXPECT_EQ(id_of(read.source, "\u2581dog"), -1);
  EXPECT_EQ(id_of(read.target, "\u2581the"), id_of(read.source, "\u2581the"));
  EXPECT_EQ(id_of(read.target, "\u2581dog"), 54);
}

TEST_F(MarianTokenizers, of_a_target_with_ids_of_its_own_are_two) {
  const std::string other = train_sentencepiece(cat_lines, {.vocabulary = 20});
  write_file_atomically(here / "target.spm", other);
  std::ofstream(here / "target_vocab.json") << R"({"</s>": 3, "<unk>": 4, "c": 7})";
  const PretrainedTokenizers read = read_marian_tokenizers(here.path(), 9);
  EXPECT_FALSE(read.source.tokenizer->shares_file_with(*read.target.tokenizer));
  EXPECT_EQ(read.target.tokenizer->size(), 20);
  EXPECT_EQ(read.target.file_ids[begin_id], 9);
  EXPECT_EQ(read.target.file_ids[end_id], 3);
}

TEST_F(MarianTokenizers, name_the_file_that_is_wrong) {
  const auto complaint = [&] {
    return io_error_of([&] { read_marian_tokenizers(here.path(), pad); });
  };
  std::ofstream(here / "vocab.json") << R"({"</s>": 0, "<unk>": -1})";
  EXPECT_THAT(complaint(), HasSubstr("vocab.json: the id of <unk> is -1"));
  std::ofstream(here / "vocab.json") << R"({"</s>": 0})";
  EXPECT_THAT(complaint(), HasSubstr("vocab.json has no id for <unk>"));
  std::ofstream(here / "vocab.json") << "[";
  EXPECT_THAT(complaint(), HasSubstr("vocab.json: not JSON"));
  std::ofstream(here / "vocab.json") << std::string(200'000, '[');
  EXPECT_THAT(complaint(), HasSubstr("vocab.json: nested deeper"));
  std::ofstream(here / "vocab.json") << R"({"</s>": 0, "<unk>": 1})";
  std::ofstream(here / "target.spm") << "x";
  EXPECT_THAT(complaint(), HasSubstr("target.spm: not a SentencePiece model"));
}

}}  // namespace tapehead
