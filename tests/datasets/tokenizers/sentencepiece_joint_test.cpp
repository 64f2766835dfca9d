// A joint vocabulary whose target side needs fewer entries than its source side.
#include "datasets/tokenizers/sentencepiece_joint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "core/errors.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_corpus.hpp"

namespace tapehead {
namespace {

using ::testing::HasSubstr;

// A joint model of two languages; the fixture's English words are of no use to its German lines.
class JointPieces : public ::testing::TestWithParam<TokenizerKind> {
 protected:
  JointPieces() {
    const std::vector<std::string> english = read_lines(corpus / "train.en");
    lines_.insert(lines_.end(), english.begin(), english.end());
    plain_ = train_sentencepiece(lines_, {.kind = GetParam(), .vocabulary = 110});
    ordered_ = with_target_pieces_first(plain_, german_);
  }

  static std::vector<std::string> pieces_of(const Tokenizer& tokenizer, std::string_view text) {
    std::vector<std::string> pieces;
    for (const TokenId token : tokenizer.encode(text)) {
      pieces.push_back(tokenizer.entry(token));
    }
    return pieces;
  }

  std::vector<std::string> german_ = read_lines(corpus / "train.de");
  std::vector<std::string> lines_ = german_;  // and the English ones
  std::string plain_;
  std::string ordered_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, JointPieces,
                         ::testing::Values(TokenizerKind::bpe, TokenizerKind::unigram),
                         [](const auto& kind) {
                           return kind.param == TokenizerKind::bpe ? "bpe" : "unigram";
                         });

TEST_P(JointPieces, both_sides_cut_their_text_as_before) {
  const SentencePieceTokenizer before(plain_);
  const SentencePieceTokenizer source(ordered_, Pieces::all);
  const SentencePieceTokenizer target(ordered_, Pieces::used);
  EXPECT_EQ(source.size(), before.size());
  for (const std::string& line : lines_) {
    EXPECT_EQ(pieces_of(source, line), pieces_of(before, line));
  }
  for (const std::string& line : german_) {
    EXPECT_EQ(target.encode(line), source.encode(line));
  }
}

TEST_P(JointPieces, the_target_writes_any_text_with_the_first_pieces_alone) {
  const SentencePieceTokenizer source(ordered_, Pieces::all);
  const SentencePieceTokenizer target(ordered_, Pieces::used);
  EXPECT_LT(target.size(), source.size());
  EXPECT_GT(target.size(), mark_count);
  bool differs = false;
  for (const std::string& line : lines_) {
    const std::vector<TokenId> tokens = target.encode(line);
    EXPECT_LT(*std::ranges::max_element(tokens), target.size());
    EXPECT_EQ(target.decode(tokens), line);
    differs = differs || tokens != source.encode(line);
  }
  EXPECT_TRUE(differs) << "no English line has a piece of its own";
}

TEST_P(JointPieces, one_file_gives_back_both_sides) {
  const TemporaryDirectory directory;
  save_tokenizers({std::make_shared<SentencePieceTokenizer>(ordered_, Pieces::all),
                   std::make_shared<SentencePieceTokenizer>(ordered_, Pieces::used)},
                  directory.path());
  EXPECT_FALSE(std::filesystem::exists(directory / "source.model"));
  const Tokenizers loaded = load_tokenizers(directory.path());
  EXPECT_EQ(loaded.source->size(), SentencePieceTokenizer(ordered_, Pieces::all).size());
  EXPECT_EQ(loaded.target->size(), SentencePieceTokenizer(ordered_, Pieces::used).size());
}

TEST(JointPiecesErrors, foreign_bytes_are_refused) {
  EXPECT_THAT(message_of<DataError>([] { with_target_pieces_first("no model", {}); }),
              HasSubstr("not a SentencePiece model"));
}

}  // namespace
}  // namespace tapehead
