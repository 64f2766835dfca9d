// The tokenizers of a Marian model: SentencePiece models and files of ids.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/files/files.hpp"
#include "datasets/tokenizers/pretrained_marian.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tapehead {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> cat_lines(50, "the cat sees the other cat at the tree");

class MarianTokenizers : public ::testing::Test {
 protected:
  MarianTokenizers() : model(train_sentencepiece(cat_lines, {.vocabulary = 22})) {
    write_file_atomically(here / "source.spm", model);
    write_file_atomically(here / "target.spm", model);
    // As in published models: the end mark first, then the unknown mark; a mark to fill up at the
    // end. The last piece has no id.
    nlohmann::json ids = {{"</s>", 0}, {"<unk>", 1}};
    const SentencePieceTokenizer pieces(model);
    for (Index i = mark_count; i < pieces.size() - 1; ++i) {
      ids[pieces.piece(static_cast<TokenId>(i))] = 40 - i;
    }
    ids["<pad>"] = pad;
    std::ofstream(here / "vocab.json") << ids.dump();
  }

  static constexpr Index pad = 50;
  TemporaryDirectory here;
  std::string model;
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
  EXPECT_THAT(complaint(), HasSubstr("vocab.json is no table of ids by piece"));
  std::ofstream(here / "vocab.json") << R"({"</s>": 0, "<unk>": 1})";
  std::ofstream(here / "target.spm") << "x";
  EXPECT_THAT(complaint(), HasSubstr("target.spm: not a SentencePiece model"));
}

}  // namespace
}  // namespace tapehead
