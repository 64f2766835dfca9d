// The tokenizers of parallel text as Marian's files.
#include "interchange/tokenizers/marian_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/errors.hpp"
#include "core/files/files.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/sentencepiece_fields.hpp"
#include "datasets/tokenizers/sentencepiece_joint.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "datasets/tokenizers/vocabulary_tokenizer.hpp"
#include "interchange/tokenizers/pretrained_marian.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_corpus.hpp"

namespace tapehead { namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class MarianFiles : public ::testing::Test {
 protected:
  json file(const std::string& name) const { return json::parse(read_file(here_ / name)); }

  // What MarianTokenizer does with a text: the pieces of the library for the model as it is, by
  // their ids.
  std::vector<TokenId> ids_of(const std::string& side, const std::string& vocabulary,
                              const std::string& text) const {
    const SentencePieceTokenizer model(read_file(here_ / (side + ".spm")), Pieces::used);
    const json ids = file(vocabulary);
    std::vector<TokenId> tokens;
    for (const TokenId token : model.encode(text)) {
      tokens.push_back(ids.at(model.entry(token)));
    }
    return tokens;
  }

  // The target uses only the pieces of German.
  Tokenizers joint_sides() const {
    std::vector<std::string> both = german_;
    both.insert(both.end(), english_.begin(), english_.end());
    const std::string model =
        with_target_pieces_first(train_sentencepiece(both, {.vocabulary = 110}), german_);
    return {.source = std::make_shared<SentencePieceTokenizer>(model, Pieces::all),
            .target = std::make_shared<SentencePieceTokenizer>(model, Pieces::used)};
  }

  std::vector<std::string> english_ = read_lines(corpus / "train.en");
  std::vector<std::string> german_ = read_lines(corpus / "train.de");
  TemporaryDirectory here_;
};

TEST_F(MarianFiles, of_a_joint_vocabulary_let_each_side_use_its_own_pieces) {
  const Tokenizers sides = joint_sides();
  write_marian_tokenizers(sides, 64, here_.path());
  for (const std::string& line : english_) {
    ASSERT_EQ(ids_of("source", "vocab.json", line), sides.source->encode(line));
    ASSERT_EQ(ids_of("target", "target_vocab.json", line), sides.target->encode(line));
  }
  EXPECT_EQ(std::ssize(file("vocab.json")), sides.source->size());
  EXPECT_EQ(std::ssize(file("target_vocab.json")), sides.target->size());
  const json config = file("tokenizer_config.json");
  EXPECT_EQ(config["tokenizer_class"], "MarianTokenizer");
  EXPECT_EQ(config["separate_vocabs"], true);
  EXPECT_EQ(config["model_max_length"], 64);
  EXPECT_EQ(file("special_tokens_map.json"),
            json({{"unk_token", "<unk>"}, {"eos_token", "</s>"}, {"pad_token", "<s>"}}));
  const json marks = file("special_tokens_map.json");
  for (const auto& [name, text] : marks.items()) {
    EXPECT_EQ(config[name], text);
  }
}

// A target in English has pieces that only the source may use.
TEST_F(MarianFiles, of_a_joint_vocabulary_are_read_as_it) {
  const Tokenizers sides = joint_sides();
  write_marian_tokenizers(sides, 64, here_.path());
  const PretrainedTokenizers read = read_marian_tokenizers(here_.path(), begin_id);
  save_tokenizers({.source = read.source.tokenizer, .target = read.target.tokenizer},
                  here_ / "run");
  const Tokenizers saved = load_tokenizers(here_ / "run");
  Index apart = 0;
  for (const std::string& line : english_) {
    const std::vector<TokenId> target = sides.target->encode(line);
    ASSERT_EQ(read.source.tokenizer->encode(line), sides.source->encode(line));
    ASSERT_EQ(read.target.tokenizer->encode(line), target);
    ASSERT_EQ(saved.target->encode(line), target);
    apart += sides.source->encode(line) == target ? 0 : 1;
  }
  EXPECT_GT(apart, 0);
  for (const PretrainedTokenizer* side : {&read.source, &read.target}) {
    std::vector<Index> same(static_cast<std::size_t>(side->tokenizer->size()));
    std::iota(same.begin(), same.end(), Index{0});
    EXPECT_EQ(side->file_ids, same);
  }
  EXPECT_EQ(read.target.tokenizer->size(), sides.target->size());
}

TEST_F(MarianFiles, of_an_import_have_its_further_entries) {
  const auto joint = std::make_shared<SentencePieceTokenizer>(
      with_additions(train_sentencepiece(german_, {.vocabulary = 70}),
                     {.language_names = true, .further_entries = {">>fr<<", "#"}}));
  write_marian_tokenizers({.source = joint, .target = joint}, 0, here_.path());
  EXPECT_EQ(file("vocab.json")[">>fr<<"], 70);
  const PretrainedTokenizers read = read_marian_tokenizers(here_.path(), begin_id);
  EXPECT_TRUE(read.source.tokenizer->shares_file_with(*read.target.tokenizer));
  for (const std::string text : {">>fr<< ein mann #", ">>de<< ein ##"}) {
    const std::vector<TokenId> tokens = read.source.tokenizer->encode(text);
    std::vector<Index> ids;
    for (const TokenId token : tokens) {
      ids.push_back(read.source.file_ids[static_cast<std::size_t>(token)]);
    }
    const std::vector<TokenId> before = joint->encode(text);
    EXPECT_EQ(ids, std::vector<Index>(before.begin(), before.end()));
  }
}

TEST_F(MarianFiles, of_one_vocabulary_say_so) {
  const auto joint = std::make_shared<SentencePieceTokenizer>(
      train_sentencepiece(german_, {.kind = TokenizerKind::unigram, .vocabulary = 70}));
  write_marian_tokenizers({.source = joint, .target = joint}, 0, here_.path());
  EXPECT_EQ(file("tokenizer_config.json")["separate_vocabs"], false);
  EXPECT_FALSE(file("tokenizer_config.json").contains("model_max_length"));
  EXPECT_FALSE(std::filesystem::exists(here_ / "target_vocab.json"));
}

TEST_F(MarianFiles, hold_models_of_sentencepiece_alone) {
  const auto pieces =
      std::make_shared<SentencePieceTokenizer>(train_sentencepiece(german_, {.vocabulary = 110}));
  const auto words =
      std::make_shared<VocabularyTokenizer>(count_units(german_, Unit::word, 50), Unit::word);
  EXPECT_THAT(message_of<DataError>([&] {
                write_marian_tokenizers({.source = pieces, .target = words}, 0, here_.path());
              }),
              HasSubstr("the tokenizer of the target is no model of SentencePiece"));
  EXPECT_TRUE(std::filesystem::is_empty(here_.path()));
}

}}  // namespace tapehead
