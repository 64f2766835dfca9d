// SentencePiece: reproducible models, detected damage, and errors that name the remedy.
#include "core/files/files.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_corpus.hpp"

namespace tapehead { namespace {

class SentencePiece : public TestWithParam<TokenizerKind> {
 protected:
  std::string train(Index vocabulary, Normalization normalization = Normalization::identity) const {
    return train_sentencepiece(lines_, {.kind = GetParam(),
                                        .vocabulary = vocabulary,
                                        .normalization = normalization,
                                        .character_coverage = 1.0});
  }

  std::vector<std::string> lines_ = read_lines(corpus / "train.de");
};

INSTANTIATE_TEST_SUITE_P(Kinds, SentencePiece, Values(TokenizerKind::bpe, TokenizerKind::unigram),
                         [](const auto& kind) {
                           return kind.param == TokenizerKind::bpe ? "bpe" : "unigram";
                         });

TEST_P(SentencePiece, equal_lines_give_equal_bytes_in_silence) {
  ::testing::internal::CaptureStderr();
  const std::string first = train(60);
  const std::string second = train(60);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(first, second);
  lines_.pop_back();
  lines_.emplace_back("ganz andere wörter");
  EXPECT_NE(train(60), first);
}

TEST_P(SentencePiece, the_vocabulary_has_the_size_asked_for_and_our_marks) {
  const SentencePieceTokenizer tokenizer(train(60));
  EXPECT_EQ(tokenizer.size(), 60);
  EXPECT_EQ(tokenizer.entry(unknown_id), "<unk>");
  EXPECT_EQ(tokenizer.entry(begin_id), "<s>");
  EXPECT_EQ(tokenizer.entry(end_id), "</s>");
  EXPECT_EQ(tokenizer.entry(60), "<unk>");
}

TEST_P(SentencePiece, text_comes_back) {
  const SentencePieceTokenizer tokenizer(train(60));
  for (const std::string& line : read_lines(corpus / "test.de")) {
    const std::vector<TokenId> tokens = tokenizer.encode(line);
    EXPECT_GE(*std::min_element(tokens.begin(), tokens.end()), mark_count);
    EXPECT_EQ(tokenizer.decode(tokens), line);
  }
  EXPECT_TRUE(tokenizer.encode("").empty());
  EXPECT_EQ(tokenizer.decode({begin_id, end_id}), "");
  EXPECT_THAT(tokenizer.encode("q"), Contains(unknown_id));
  EXPECT_THAT(tokenizer.decode(tokenizer.encode("mann qqq")), HasSubstr("⁇"));
  EXPECT_EQ(tokenizer.decode({-1, 60}), "");
}

// A line of about 200 KB is cut at spaces between letters or digits, but not next to an unknown q,
// a full stop or another space.
TEST_P(SentencePiece, a_long_line_has_the_tokens_of_its_parts) {
  const SentencePieceTokenizer tokenizer(train(60));
  const std::vector<std::string> lines = read_lines(corpus / "test.de");
  std::string line;
  std::vector<TokenId> expected;
  for (std::size_t i = 0; line.size() < 200'000; ++i) {
    const std::string part = "ein " + lines[i % lines.size()] + (i % 2 == 0 ? "  q qq. Ein" : "");
    line += (line.empty() ? "" : " ") + part;
    const std::vector<TokenId> tokens = tokenizer.encode(part);
    expected.insert(expected.end(), tokens.begin(), tokens.end());
  }
  EXPECT_EQ(tokenizer.encode(line), expected);
  const std::string without_spaces(200'000, 'n');
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(without_spaces)), without_spaces);
}

// A line cut between two tokens has the same tokens on both sides.
TEST_P(SentencePiece, the_rest_of_a_line_gets_no_space_in_front) {
  for (const bool running_text : {false, true}) {
    const SentencePieceTokenizer tokenizer(train_sentencepiece(
        lines_, {.kind = GetParam(), .vocabulary = 60, .running_text = running_text}));
    for (const std::string& line : lines_) {
      const std::vector<TokenId> tokens = tokenizer.encode(line);
      std::string spelled = tokenizer.spelled(line);
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        spelled.erase(0, tokenizer.entry(tokens[i]).size());
        std::string rest = spelled;
        for (std::size_t at = rest.find(space_shown); at != std::string::npos;
             at = rest.find(space_shown)) {
          rest.replace(at, space_shown.size(), " ");
        }
        const auto after = tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1;
        ASSERT_EQ(tokenizer.encode_rest(rest), std::vector(after, tokens.end())) << rest;
      }
    }
    EXPECT_TRUE(tokenizer.encode_rest("").empty());
    EXPECT_EQ(tokenizer.encode_rest("\u2603"), std::vector{unknown_id});  // a snowman
  }
}

TEST_P(SentencePiece, the_rest_of_a_line_ends_with_the_line) {
  const SentencePieceTokenizer tokenizer(
      train_sentencepiece(lines_, {.kind = GetParam(), .vocabulary = 60, .running_text = true}));
  EXPECT_EQ(tokenizer.encode_rest("\nein mann"), tokenizer.encode("\nein mann"));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode_rest(" ")), "");
  EXPECT_EQ(tokenizer.encode_rest(" ").size(), 1U);  // the space
}

TEST_P(SentencePiece, normalisation_is_done_only_when_asked_for) {
  const SentencePieceTokenizer plain(train(60));
  const SentencePieceTokenizer folded(train(60, Normalization::nfkc_cf));
  EXPECT_EQ(folded.encode("EIN ﬂuss"), folded.encode("ein fluss"));
  EXPECT_NE(plain.encode("EIN ﬂuss"), plain.encode("ein fluss"));
}

TEST_P(SentencePiece, long_lines_are_trained_on_too) {
  std::string line = "q";
  while (line.size() < 5000) {  // the library's own limit is 4192 bytes
    line += " mann";
  }
  lines_.push_back(line);
  EXPECT_THAT(SentencePieceTokenizer(train(60)).encode("q"), Not(Contains(unknown_id)));
}

TEST_P(SentencePiece, too_large_a_vocabulary_is_refused_with_what_is_possible) {
  const std::string message = message_of<DataError>([&] { train(5000); });
  EXPECT_THAT(message,
              HasSubstr("tokenizer of 5000 entries on 200 lines: the text gives at most "));
  EXPECT_THAT(message, HasSubstr(" or less"));
  const std::string words = "at most ";
  const Index most = std::stol(message.substr(message.find(words) + words.size()));
  EXPECT_EQ(SentencePieceTokenizer(train(most)).size(), most);
}

TEST_P(SentencePiece, too_small_a_vocabulary_is_refused_with_what_is_possible) {
  const std::string message = message_of<DataError>([&] { train(10); });
  EXPECT_THAT(message, HasSubstr(" or more, or lower task.character_coverage"));
  const std::string words = "its characters and the marks alone take ";
  const Index least = std::stol(message.substr(message.find(words) + words.size()));
  EXPECT_EQ(SentencePieceTokenizer(train(least)).size(), least);
  EXPECT_NE(message_of<DataError>([&] { train(least - 1); }), "no error");
}

TEST_P(SentencePiece, no_lines_are_refused) {
  lines_.assign(3, "");
  EXPECT_THAT(message_of<DataError>([&] { train(60); }), HasSubstr("cannot train a"));
}

TEST_P(SentencePiece, what_is_saved_is_loaded) {
  const TemporaryDirectory directory;
  const SentencePieceTokenizer tokenizer(train(60));
  tokenizer.save(directory / "joint");
  const auto loaded = load_tokenizer(directory / "joint");
  EXPECT_EQ(*loaded->model(), *tokenizer.model());
  EXPECT_EQ(loaded->encode(lines_[0]), tokenizer.encode(lines_[0]));
}

TEST_P(SentencePiece, a_saved_model_is_one_for_the_library_too) {
  const TemporaryDirectory directory;
  const SentencePieceTokenizer tokenizer(train(60));
  tokenizer.save(directory / "joint");
  sentencepiece::SentencePieceProcessor processor;
  ASSERT_TRUE(processor.Load((directory / "joint.model").string()).ok());
  EXPECT_EQ(processor.EncodeAsIds(lines_[0]), tokenizer.encode(lines_[0]));
}

TEST_P(SentencePiece, damage_is_refused_with_the_file_named) {
  const TemporaryDirectory directory;
  SentencePieceTokenizer(train(60)).save(directory / "joint");
  const std::filesystem::path file = directory / "joint.model";
  const std::string whole = read_file(file);
  const auto damage_in = [&](std::string_view content) {
    write_file_atomically(file, content);
    return io_error_of([&] { load_tokenizer(directory / "joint"); });
  };
  for (const std::size_t size :
       {whole.size() - 1, whole.size() / 2, std::size_t{3}, std::size_t{0}}) {
    EXPECT_THAT(damage_in(whole.substr(0, size)), HasSubstr("joint.model is damaged"));
  }
  for (const std::size_t place : {std::size_t{0}, whole.size() / 2, whole.size() - 1}) {
    std::string flipped = whole;
    flipped[place] ^= 4;
    EXPECT_THAT(damage_in(flipped), HasSubstr("joint.model is damaged"));
  }
}

TEST(SentencePieceModel, foreign_bytes_are_refused) {
  EXPECT_THAT(message_of<DataError>([] { SentencePieceTokenizer("no model"); }),
              HasSubstr("not a SentencePiece model"));
}

// The library throws for this fault, but returns a status for other faults.
TEST(SentencePieceModel, with_a_piece_that_is_a_zero_byte_is_refused) {
  using std::string_literals::operator""s;
  const std::string model = train_sentencepiece(read_lines(corpus / "train.de"),
                                                {.kind = TokenizerKind::unigram, .vocabulary = 60});
  const std::string piece = "\n\x08\n\x01\0\x15\0\0\0\0"s;  // its text and its score
  EXPECT_THAT(message_of<DataError>([&] { SentencePieceTokenizer(model + piece); }),
              HasSubstr("not a SentencePiece model: "));
}

}}  // namespace tapehead
