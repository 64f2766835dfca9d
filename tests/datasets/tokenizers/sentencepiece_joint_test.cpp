// A joint vocabulary whose target side needs fewer entries than its source side.

#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/sentencepiece_fields.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_corpus.hpp"

namespace tapehead { namespace {

// A joint model of two languages. English words in the fixture do not occur in its German lines.
class JointPieces : public TestWithParam<TokenizerKind> {
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
  std::vector<std::string> lines_ = german_;  // the constructor adds the English lines
  std::string plain_;
  std::string ordered_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, JointPieces, Values(TokenizerKind::bpe, TokenizerKind::unigram),
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

// Sources use all pieces of the file, targets its first pieces (spm_encode --vocabulary).
TEST_P(JointPieces, the_library_alone_cuts_text_as_both_sides) {
  const TemporaryDirectory directory;
  const SentencePieceTokenizer source(ordered_, Pieces::all);
  const SentencePieceTokenizer target(ordered_, Pieces::used);
  source.save(directory / "joint");
  sentencepiece::SentencePieceProcessor library;
  ASSERT_TRUE(library.Load((directory / "joint.model").string()).ok());
  for (const std::string& line : lines_) {
    EXPECT_EQ(library.EncodeAsIds(line), source.encode(line));
  }
  std::vector<std::string_view> first;
  for (TokenId i = 0; i < target.size(); ++i) {
    first.push_back(library.IdToPiece(i));
  }
  ASSERT_TRUE(library.SetVocabulary(first).ok());
  for (const std::string& line : lines_) {
    EXPECT_EQ(library.EncodeAsIds(line), target.encode(line));
  }
}

// Version 0.2.0 and older marked pieces that targets may not use as unused.
TEST_P(JointPieces, older_files_with_marks_are_the_same) {
  const SentencePieceTokenizer source(ordered_, Pieces::all);
  const SentencePieceTokenizer target(ordered_, Pieces::used);
  const std::string marked = with_additions(target.model_in_use(), {});
  EXPECT_EQ(SentencePieceTokenizer(marked, Pieces::used).size(), target.size());
  for (const std::string& line : lines_) {
    EXPECT_EQ(SentencePieceTokenizer(marked, Pieces::all).encode(line), source.encode(line));
    EXPECT_EQ(SentencePieceTokenizer(marked, Pieces::used).encode(line), target.encode(line));
  }
}

TEST_P(JointPieces, the_number_of_those_of_a_target_is_possible) {
  for (const Index wrong : {Index{2}, Index{111}, Index{-1}}) {
    const std::string model = with_additions(plain_, {.target_pieces = wrong});
    EXPECT_THAT(message_of<DataError>([&] { SentencePieceTokenizer(model, Pieces::used); }),
                HasSubstr("a SentencePiece model of 110 pieces, of which a target uses " +
                          std::to_string(wrong)));
  }
}

TEST(JointPiecesErrors, foreign_bytes_are_refused) {
  EXPECT_THAT(message_of<DataError>([] { with_target_pieces_first("no model", {}); }),
              HasSubstr("not a SentencePiece model"));
}

}}  // namespace tapehead
