// Reads and writes the tokenizers of a Marian model.
#include "interchange/tokenizers/pretrained_tokenizers.hpp"

#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/sentencepiece_fields.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "datasets/tokenizers/vocabulary.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_corpus.hpp"
#include "tests/support/tokenizer_fixtures.hpp"

namespace tapehead { namespace {

using nlohmann::json;

const std::vector<std::string> cat_lines(50, "the cat sees the other cat at the tree");

class MarianTokenizers : public Test {
 protected:
  MarianTokenizers() : model(train_sentencepiece(cat_lines, {.vocabulary = 22})) {
    write_file_atomically(here / "source.spm", model);
    write_file_atomically(here / "target.spm", model);
    // As in published models: end mark first, then the unknown mark, and a padding mark at the end.
    // The last piece has no id.
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

  // The size if there is no such entry.
  static TokenId our_id(const Tokenizer& tokenizer, std::string_view entry) {
    TokenId id = 0;
    while (id < tokenizer.size() && tokenizer.entry(id) != entry) {
      ++id;
    }
    return id;
  }

  static Index id_of(const PretrainedTokenizer& read, std::string_view entry) {
    const TokenId id = our_id(*read.tokenizer, entry);
    return id == read.tokenizer->size() ? -1 : read.file_ids[static_cast<std::size_t>(id)];
  }

  static constexpr Index pad = 50;
  TemporaryDirectory here;
  std::string model;
  json table;  // ids in vocab.json
};

TEST_F(MarianTokenizers, have_the_ids_of_the_files) {
  const PretrainedTokenizers read = read_marian_tokenizers(here.path(), pad);
  const SentencePieceTokenizer pieces(model);
  EXPECT_EQ(read.source.tokenizer->encode(cat_lines[0]), pieces.encode(cat_lines[0]));
  const std::vector<Index>& ids = read.source.file_ids;
  ASSERT_EQ(std::ssize(ids), pieces.size());
  EXPECT_THAT(std::span(ids).first(mark_count), ElementsAre(1, pad, 0));  // unknown, begin, end
  EXPECT_EQ(ids[5], 35);                                                  // 40 - 5
  EXPECT_EQ(ids.back(), 1) << "unknown there";
  EXPECT_TRUE(read.source.tokenizer->shares_file_with(*read.target.tokenizer));
}

TEST_F(MarianTokenizers, read_and_write_the_entries_that_are_no_pieces) {
  struct Case {
    const char* text;
    std::vector<std::string> entries;
    std::vector<std::string> unknown{};
  };
  // Tokens from MarianTokenizer of transformers 5.24.0 for these files: some entries of vocab.json
  // are not pieces.
  const std::vector<Case> cases{
      {">>fr<< the cat", {">>fr<<", "\u2581the", "\u2581cat"}},
      {">>fr<<the", {">>fr<<", "\u2581the"}},
      {"the >>fr<<", {"\u2581the", "\u2581", "<unk>", "r", "<unk>"}, {">", ">", "f", "<", "<"}},
      {">>xx<< the", {"<unk>", "\u2581the"}, {">>xx<<"}},
      {"# the", {"\u2581", "#", "\u2581the"}},
      {"the## #", {"\u2581the", "##", "\u2581", "#"}},
      {"###", {"\u2581", "<unk>"}, {"#", "#", "#"}},
      {"the dig", {"\u2581the", "\u2581", "<unk>"}, {"d", "i", "g"}},
      {"<s>", {"\u2581", "<unk>", "s", "<unk>"}, {"<", ">"}}};
  table.update({{">>fr<<", 51}, {"#", 52}, {"##", 53}, {"\u2581dog", 54}});
  write_ids();
  const PretrainedTokenizers read = read_marian_tokenizers(here.path(), pad);
  EXPECT_TRUE(read.source.tokenizer->shares_file_with(*read.target.tokenizer));
  save_tokenizers({read.source.tokenizer, read.target.tokenizer}, here / "run");
  const Tokenizers saved = load_tokenizers(here / "run");
  for (const auto& [text, entries, unknown] : cases) {
    for (const auto& tokenizer : {read.source.tokenizer, saved.source, saved.target}) {
      EXPECT_EQ(entries_of(*tokenizer, text), entries) << text;
      EXPECT_EQ(tokenizer->unknown_parts(text), unknown) << text;
    }
  }
  for (const auto& [entry, id] : {std::pair(">>fr<<", 51), {"##", 53}, {"\u2581dog", 54}}) {
    EXPECT_EQ(id_of(read.target, entry), id);
  }
  const Tokenizer& target = *read.target.tokenizer;
  const auto text_of = [&](const std::vector<std::string>& entries) {
    std::vector<TokenId> tokens;
    for (const std::string& entry : entries) {
      tokens.push_back(our_id(target, entry));
    }
    return target.decode(tokens);
  };
  EXPECT_EQ(text_of({">>fr<<", "\u2581the", "\u2581dog", "#", "\u2581cat", "</s>"}),
            ">>fr<< the dog# cat");
  EXPECT_EQ(text_of({"<s>", "\u2581dog", "<unk>"}), "dog \u2047 ");
}

// A target may write every entry. A source has no rows for entries that no text gives.
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
  for (const auto& [file, content, said] : std::vector<std::array<std::string, 3>>{
           {"vocab.json", R"({"</s>": 0, "<unk>": -1})", "vocab.json: the id of <unk> is -1"},
           {"vocab.json", R"({"</s>": 0})", "vocab.json has no id for <unk>"},
           {"vocab.json", "[", "vocab.json: not JSON"},
           {"vocab.json", std::string(200'000, '['), "vocab.json: nested deeper"},
           {"target.spm", "x", "target.spm: not a SentencePiece model"}}) {
    write_ids();
    std::ofstream(here / file) << content;
    EXPECT_THAT(io_error_of([&] { read_marian_tokenizers(here.path(), pad); }), HasSubstr(said));
  }
}

class MarianFiles : public Test {
 protected:
  json file(const std::string& name) const { return json::parse(read_file(here_ / name)); }

  // Tokenises like MarianTokenizer: the library's pieces for the unchanged model, mapped to their
  // ids.
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

  std::vector<std::string> english_ = read_lines(corpus / "train.en");
  std::vector<std::string> german_ = read_lines(corpus / "train.de");
  TemporaryDirectory here_;
};

// English targets contain pieces that only the source may use.
TEST_F(MarianFiles, of_a_joint_vocabulary_let_each_side_use_its_own_pieces) {
  std::vector<std::string> both = german_;
  both.insert(both.end(), english_.begin(), english_.end());
  const std::string model =
      with_target_pieces_first(train_sentencepiece(both, {.vocabulary = 110}), german_);
  const Tokenizers sides{.source = std::make_shared<SentencePieceTokenizer>(model, Pieces::all),
                         .target = std::make_shared<SentencePieceTokenizer>(model, Pieces::used)};
  write_marian_tokenizers(sides, 64, here_.path());
  const PretrainedTokenizers read = read_marian_tokenizers(here_.path(), begin_id);
  save_tokenizers({.source = read.source.tokenizer, .target = read.target.tokenizer},
                  here_ / "run");
  const Tokenizers saved = load_tokenizers(here_ / "run");
  Index apart = 0;
  for (const std::string& line : english_) {
    const std::vector<TokenId> source = sides.source->encode(line);
    const std::vector<TokenId> target = sides.target->encode(line);
    ASSERT_EQ(ids_of("source", "vocab.json", line), source);
    ASSERT_EQ(ids_of("target", "target_vocab.json", line), target);
    ASSERT_EQ(read.source.tokenizer->encode(line), source);
    ASSERT_EQ(read.target.tokenizer->encode(line), target);
    ASSERT_EQ(saved.target->encode(line), target);
    apart += source == target ? 0 : 1;
  }
  EXPECT_GT(apart, 0);
  for (const auto& [side, tokenizer, vocabulary] :
       {std::tuple(&read.source, sides.source, "vocab.json"),
        {&read.target, sides.target, "target_vocab.json"}}) {
    std::vector<Index> same(static_cast<std::size_t>(tokenizer->size()));
    std::iota(same.begin(), same.end(), Index{0});
    EXPECT_EQ(side->file_ids, same);
    EXPECT_EQ(side->tokenizer->size(), tokenizer->size());
    EXPECT_EQ(file(vocabulary).size(), same.size());
  }
  const json config = file("tokenizer_config.json");
  EXPECT_EQ(config["tokenizer_class"], "MarianTokenizer");
  EXPECT_EQ(config["separate_vocabs"], true);
  EXPECT_EQ(config["model_max_length"], 64);
  const json marks = file("special_tokens_map.json");
  EXPECT_EQ(marks, json({{"unk_token", "<unk>"}, {"eos_token", "</s>"}, {"pad_token", "<s>"}}));
  for (const auto& [name, text] : marks.items()) {
    EXPECT_EQ(config[name], text);
  }
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
    EXPECT_THAT(file_ids_of(read.source, read.source.tokenizer->encode(text)),
                ElementsAreArray(joint->encode(text)));
  }
}

TEST_F(MarianFiles, of_one_vocabulary_say_so_and_hold_models_of_sentencepiece_alone) {
  const auto joint = std::make_shared<SentencePieceTokenizer>(
      train_sentencepiece(german_, {.kind = TokenizerKind::unigram, .vocabulary = 70}));
  const auto words =
      std::make_shared<VocabularyTokenizer>(count_units(german_, Unit::word, 50), Unit::word);
  EXPECT_THAT([&] { write_marian_tokenizers({.source = joint, .target = words}, 0, here_.path()); },
              throws<DataError>("the tokenizer of the target is not a SentencePiece model"));
  EXPECT_TRUE(std::filesystem::is_empty(here_.path()));
  write_marian_tokenizers({.source = joint, .target = joint}, 0, here_.path());
  EXPECT_EQ(file("tokenizer_config.json")["separate_vocabs"], false);
  EXPECT_FALSE(file("tokenizer_config.json").contains("model_max_length"));
  EXPECT_FALSE(std::filesystem::exists(here_ / "target_vocab.json"));
}

}}  // namespace tapehead
