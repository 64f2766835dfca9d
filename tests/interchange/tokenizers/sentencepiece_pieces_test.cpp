// SentencePiece models for other programs: the same pieces, and merges that tokenise like the
// library.
#include <unordered_map>

#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/merge_table.hpp"
#include "datasets/tokenizers/sentencepiece_fields.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "interchange/tokenizers/tokenizer_parts.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_corpus.hpp"

namespace tapehead { namespace {

SentencePieceTokenizer trained_pieces(const PieceOptions& options) {
  return SentencePieceTokenizer(train_sentencepiece(read_lines(corpus / "train.en"), options));
}

TEST(ExportedPieces, of_bpe_merge_as_the_library_does) {
  const SentencePieceTokenizer tokenizer =
      trained_pieces({.kind = TokenizerKind::bpe, .vocabulary = 150});
  const Json model = parts_of(tokenizer).model;
  const auto ids = model["vocab"].get<std::unordered_map<std::string, TokenId>>();
  MergeTable table;
  for (const std::string merge : model["merges"]) {
    const std::string left = merge.substr(0, merge.find(' '));
    const std::string right = merge.substr(merge.find(' ') + 1);
    table.add({ids.at(left), ids.at(right)}, ids.at(left + right));
  }
  for (const std::string& line : read_lines(corpus / "test.en")) {
    std::vector<TokenId> characters;
    const std::string spelled = tokenizer.spelled(line);
    for (const std::string_view character : units_of(spelled, Unit::character)) {
      characters.push_back(ids.at(std::string(character)));
    }
    EXPECT_EQ(table.merge(characters), tokenizer.encode(line));
  }
}

TEST(ExportedPieces, of_unigram_have_their_scores) {
  const SentencePieceTokenizer tokenizer =
      trained_pieces({.kind = TokenizerKind::unigram, .vocabulary = 70});
  const Json model = parts_of(tokenizer).model;
  EXPECT_EQ(model["unk_id"], unknown_id);
  ASSERT_EQ(std::ssize(model["vocab"]), tokenizer.size());
  double before = 0;
  for (Index id = 0; id < tokenizer.size(); ++id) {
    const Json& piece = model["vocab"][static_cast<std::size_t>(id)];
    EXPECT_EQ(piece[0], tokenizer.entry(static_cast<TokenId>(id)));
    EXPECT_LE(piece[1].get<double>(), before) << "the library sorts pieces by their score";
    before = piece[1].get<double>();
  }
  EXPECT_LT(before, -3);  // log-probability of a rare piece
}

TEST(ExportedPieces, normalise_as_the_model_does) {
  const auto types_of = [](const TokenizerParts& parts) {
    std::vector<std::string> types;
    for (const Json& step : parts.normalizer.at("normalizers")) {
      types.push_back(step.at("type"));
    }
    return types;
  };
  const TokenizerParts plain = parts_of(trained_pieces({.vocabulary = 110}));
  EXPECT_THAT(types_of(plain), Not(Contains("Precompiled")));
  EXPECT_THAT(plain.normalizer.dump(), HasSubstr(" {2,}")) << "spaces are joined";
  EXPECT_EQ(plain.pre_tokenizer, nullptr);
  const std::vector<std::string> nfkc =
      types_of(parts_of(trained_pieces({.vocabulary = 110, .normalization = Normalization::nfkc})));
  EXPECT_EQ(nfkc[1], "NFKC");
  EXPECT_EQ(nfkc[2], "Precompiled");
  EXPECT_EQ(nfkc.size(), types_of(plain).size() + 2);
  const TokenizerParts running =
      parts_of(trained_pieces({.vocabulary = 110, .running_text = true}));
  EXPECT_THAT(running.normalizer.dump(), Not(HasSubstr(" {2,}")));
  EXPECT_EQ(running.pre_tokenizer["pretokenizers"][0]["pattern"]["String"], "\n");
  EXPECT_TRUE(running.model["vocab"].contains("\n"));
}

TEST(ExportedPieces, that_a_file_cannot_hold_are_refused) {
  std::vector<std::string> both = read_lines(corpus / "train.en");
  const std::vector<std::string> german = read_lines(corpus / "train.de");
  both.insert(both.end(), german.begin(), german.end());
  const std::string model = train_sentencepiece(both, {.vocabulary = 110});
  const std::string joint = with_target_pieces_first(model, german);
  EXPECT_NO_THROW(parts_of(SentencePieceTokenizer(joint, Pieces::all)));
  const SentencePieceTokenizer used(joint, Pieces::used);
  EXPECT_THAT([&] { parts_of(used); }, throws<DataError>("must not use some of its subwords"));
  EXPECT_EQ(std::ranges::count(content_of(used).pieces, false, &Piece::unused), used.size());
  const SentencePieceTokenizer more(with_additions(model, {.further_entries = {">>fr<<"}}));
  EXPECT_THAT([&] { parts_of(more); },
              throws<DataError>("has entries that are not subwords (such as >>fr<<)"));
}

}}  // namespace tapehead
