// SentencePiece: reproducible models, detected damage, and errors that name the remedy. Also a
// joint vocabulary whose target side needs fewer entries than its source side.
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"

#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/sentencepiece_fields.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
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
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST_P(SentencePiece, equal_lines_give_equal_bytes_in_silence_and_long_lines_count_too) {
  ::testing::internal::CaptureStderr();
  const std::string first = train(60);
  const std::string second = train(60);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(first, second);
  lines_.pop_back();
  lines_.emplace_back("ganz andere wörter");
  EXPECT_NE(train(60), first);
  std::string line = "q";
  while (line.size() < 5000) {  // the library's own limit is 4192 bytes
    line += " mann";
  }
  lines_.push_back(line);
  EXPECT_THAT(SentencePieceTokenizer(train(60)).encode("q"), Not(Contains(unknown_id)));
}

TEST_P(SentencePiece, has_the_size_asked_for_and_our_marks_and_gives_text_back) {
  const SentencePieceTokenizer tokenizer(train(60));
  EXPECT_EQ(tokenizer.size(), 60);
  EXPECT_THAT(entries_of(tokenizer, {unknown_id, begin_id, end_id, 60}),
              ElementsAre("<unk>", "<s>", "</s>", "<unk>"));
  for (const std::string& line : read_lines(corpus / "test.de")) {
    const std::vector<TokenId> tokens = tokenizer.encode(line);
    EXPECT_THAT(tokens, Each(Ge(mark_count)));
    EXPECT_EQ(tokenizer.decode(tokens), line);
  }
  EXPECT_TRUE(tokenizer.encode("").empty());
  EXPECT_EQ(tokenizer.decode({begin_id, end_id}), "");
  EXPECT_THAT(tokenizer.encode("q"), Contains(unknown_id));
  EXPECT_THAT(tokenizer.decode(tokenizer.encode("mann qqq")), HasSubstr("⁇"));
  EXPECT_EQ(tokenizer.decode({-1, 60}), "");
  const SentencePieceTokenizer folded(train(60, Normalization::nfkc_cf));
  EXPECT_EQ(folded.encode("EIN ﬂuss"), folded.encode("ein fluss"));
  EXPECT_NE(tokenizer.encode("EIN ﬂuss"), tokenizer.encode("ein fluss"));
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
TEST_P(SentencePiece, the_rest_of_a_line_gets_no_space_in_front_and_ends_with_the_line) {
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
    if (running_text) {
      EXPECT_EQ(tokenizer.encode_rest("\nein mann"), tokenizer.encode("\nein mann"));
      EXPECT_EQ(tokenizer.decode(tokenizer.encode_rest(" ")), "");
      EXPECT_EQ(tokenizer.encode_rest(" ").size(), 1U);  // the space
    }
  }
}

TEST_P(SentencePiece, another_size_is_refused_with_what_is_possible) {
  const auto error = [&](Index size) { return message_of<DataError>([&] { train(size); }); };
  const auto number_after = [](const std::string& words, const std::string& message) -> Index {
    return std::stol(message.substr(message.find(words) + words.size()));
  };
  EXPECT_THAT(error(5000),
              AllOf(HasSubstr("tokenizer of 5000 entries on 200 lines: the text gives at most "),
                    HasSubstr(" or less")));
  const Index most = number_after("at most ", error(5000));
  EXPECT_EQ(SentencePieceTokenizer(train(most)).size(), most);
  EXPECT_THAT(error(10), HasSubstr(" or more, or lower task.character_coverage"));
  const Index least = number_after("the text's characters and the marks alone take ", error(10));
  EXPECT_EQ(SentencePieceTokenizer(train(least)).size(), least);
  EXPECT_NE(error(least - 1), "no error");
  lines_.assign(3, "");
  EXPECT_THAT(error(60), HasSubstr("cannot train a"));
}

TEST_P(SentencePiece, what_is_saved_is_loaded_by_the_library_too_and_damage_is_refused) {
  const TemporaryDirectory directory;
  const SentencePieceTokenizer tokenizer(train(60));
  tokenizer.save(directory / "joint");
  const auto loaded = load_tokenizer(directory / "joint");
  EXPECT_EQ(*loaded->model(), *tokenizer.model());
  EXPECT_EQ(loaded->encode(lines_[0]), tokenizer.encode(lines_[0]));
  sentencepiece::SentencePieceProcessor library;
  ASSERT_TRUE(library.Load((directory / "joint.model").string()).ok());
  EXPECT_EQ(library.EncodeAsIds(lines_[0]), tokenizer.encode(lines_[0]));

  const std::string whole = read_file(directory / "joint.model");
  std::vector<std::string> damaged;
  for (const std::size_t place : {std::size_t{0}, whole.size() / 2, whole.size() - 1}) {
    damaged.push_back(whole.substr(0, place));
    damaged.push_back(whole);
    damaged.back()[place] ^= 4;
  }
  damaged.push_back(whole.substr(0, 3));
  for (const std::string& content : damaged) {
    directory.write("joint.model", content);
    EXPECT_THAT(io_error_of([&] { load_tokenizer(directory / "joint"); }),
                HasSubstr("joint.model is damaged"));
  }
}

TEST(SentencePieceModel, of_foreign_bytes_or_with_a_piece_that_is_a_zero_byte_is_refused) {
  const auto refused = throws<DataError>("not a SentencePiece model");
  EXPECT_THAT([] { SentencePieceTokenizer("no model"); }, refused);
  EXPECT_THAT([] { with_target_pieces_first("no model", {}); }, refused);
  // The library throws for this fault, but returns a status for other faults.
  using std::string_literals::operator""s;
  const std::string model = train_sentencepiece(read_lines(corpus / "train.de"),
                                                {.kind = TokenizerKind::unigram, .vocabulary = 60});
  const std::string piece = "\n\x08\n\x01\0\x15\0\0\0\0"s;  // its text and its score
  EXPECT_THAT([&] { SentencePieceTokenizer(model + piece); },
              throws<DataError>("not a SentencePiece model: "));
}

// A joint model of two languages. English words in the fixture do not occur in its German lines.
class JointPieces : public TestWithParam<TokenizerKind> {
 protected:
  const std::vector<std::string> german_ = read_lines(corpus / "train.de");
  const std::vector<std::string> lines_ = [&] {
    std::vector<std::string> both = german_;
    const std::vector<std::string> english = read_lines(corpus / "train.en");
    both.insert(both.end(), english.begin(), english.end());
    return both;
  }();
  const std::string plain_ = train_sentencepiece(lines_, {.kind = GetParam(), .vocabulary = 110});
  const std::string ordered_ = with_target_pieces_first(plain_, german_);
  const SentencePieceTokenizer source_{ordered_, Pieces::all};
  const SentencePieceTokenizer target_{ordered_, Pieces::used};
};

INSTANTIATE_TEST_SUITE_P(Kinds, JointPieces, Values(TokenizerKind::bpe, TokenizerKind::unigram),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST_P(JointPieces, both_sides_cut_their_text_as_before_and_the_target_with_the_first_pieces) {
  const SentencePieceTokenizer before(plain_);
  EXPECT_EQ(source_.size(), before.size());
  EXPECT_LT(target_.size(), source_.size());
  EXPECT_GT(target_.size(), mark_count);
  bool differs = false;
  for (const std::string& line : lines_) {
    EXPECT_EQ(entries_of(source_, source_.encode(line)), entries_of(before, before.encode(line)));
    const std::vector<TokenId> tokens = target_.encode(line);
    EXPECT_THAT(tokens, Each(Lt(target_.size())));
    EXPECT_EQ(target_.decode(tokens), line);
    differs = differs || tokens != source_.encode(line);
  }
  EXPECT_TRUE(differs) << "no English line has a piece of its own";
  for (const std::string& line : german_) {
    EXPECT_EQ(target_.encode(line), source_.encode(line));
  }
  // The number of the pieces of a target must be possible.
  for (const Index wrong : {2, 111, -1}) {
    const std::string model = with_additions(plain_, {.target_pieces = wrong});
    EXPECT_THAT([&] { SentencePieceTokenizer(model, Pieces::used); },
                throws<DataError>(fmt::format(
                    "a SentencePiece model of 110 pieces, of which a target uses {}", wrong)));
  }
}

// Sources use all pieces of the file, targets its first pieces (spm_encode --vocabulary).
TEST_P(JointPieces,
       one_file_gives_back_both_sides_also_to_the_library_alone_and_from_older_versions) {
  const TemporaryDirectory directory;
  save_tokenizers({std::make_shared<SentencePieceTokenizer>(ordered_, Pieces::all),
                   std::make_shared<SentencePieceTokenizer>(ordered_, Pieces::used)},
                  directory.path());
  EXPECT_FALSE(std::filesystem::exists(directory / "source.model"));
  const Tokenizers loaded = load_tokenizers(directory.path());
  EXPECT_EQ(loaded.source->size(), source_.size());
  EXPECT_EQ(loaded.target->size(), target_.size());
  sentencepiece::SentencePieceProcessor library;
  ASSERT_TRUE(library.Load((directory / "joint.model").string()).ok());
  for (const std::string& line : lines_) {
    EXPECT_EQ(library.EncodeAsIds(line), source_.encode(line));
  }
  std::vector<std::string_view> first;
  for (TokenId i = 0; i < target_.size(); ++i) {
    first.push_back(library.IdToPiece(i));
  }
  ASSERT_TRUE(library.SetVocabulary(first).ok());
  // Version 0.2.0 and older marked pieces that targets may not use as unused.
  const std::string marked = with_additions(target_.model_in_use(), {});
  const SentencePieceTokenizer older_source(marked, Pieces::all);
  const SentencePieceTokenizer older_target(marked, Pieces::used);
  EXPECT_EQ(older_target.size(), target_.size());
  for (const std::string& line : lines_) {
    EXPECT_EQ(library.EncodeAsIds(line), target_.encode(line));
    EXPECT_EQ(older_source.encode(line), source_.encode(line));
    EXPECT_EQ(older_target.encode(line), target_.encode(line));
  }
}

}}  // namespace tapehead
