// Tokenizers for other programs: they read back unchanged, have marks and ids in the correct
// places, and contents that the files cannot hold are rejected.
#include "interchange/tokenizers/pretrained_tokenizers.hpp"

#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/byte_bpe.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/vocabulary.hpp"
#include "datasets/tokenizers/word_piece.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tokenizer_fixtures.hpp"

namespace tapehead { namespace {

using nlohmann::json;

class ExportedTokenizer : public Test {
 protected:
  json file(const std::string& name) const { return json::parse(read_file(here_ / name)); }

  json exported(const Tokenizer& tokenizer, const PretrainedMarks& marks = {}) const {
    write_pretrained_tokenizer(tokenizer, marks, here_.path());
    return file("tokenizer.json");
  }

  // The items of a template, such as {"<s>", "A 0", "</s>"}; each text has its type.
  static std::vector<std::string> items_of(const json& items) {
    std::vector<std::string> names;
    for (const json& item : items) {
      const bool text = item.contains("Sequence");
      const json& of = item.at(text ? "Sequence" : "SpecialToken");
      names.push_back(of.at("id").get<std::string>() + (of.at("type_id") == 1 ? " of type 1" : ""));
    }
    return names;
  }

  TemporaryDirectory here_;
};

ByteBpe trained_byte_bpe() {
  return ByteBpe(train_byte_bpe(read_lines(tokenizer_fixtures / "training.txt"), 600));
}

VocabularyTokenizer words(std::vector<std::string> entries) {
  return {Vocabulary(std::move(entries)), Unit::word};
}

TEST_F(ExportedTokenizer, is_read_back_with_the_same_ids) {
  const auto expect_same = [&](const Tokenizer& tokenizer) {
    const PretrainedTokenizer read = read_pretrained_tokenizer(here_.path());
    for (const std::string& text : fixture_texts()) {
      EXPECT_EQ(read.tokenizer->encode(text), tokenizer.encode(text));
    }
    for (Index id = 0; id < tokenizer.size(); ++id) {
      EXPECT_EQ(read.file_ids.at(static_cast<std::size_t>(id)), id);
    }
    return read.mask;
  };
  for (const std::string fixture : {"word_piece", "word_piece_cased"}) {
    const auto original = read_pretrained_tokenizer(tokenizer_fixtures / fixture).tokenizer;
    exported(*original, {.added = AddedMarks::begin_and_end, .mask = true});
    EXPECT_EQ(expect_same(*original), original->size());
  }
  const ByteBpe byte_bpe = trained_byte_bpe();
  exported(byte_bpe, {.mask = true});
  EXPECT_EQ(expect_same(byte_bpe), byte_bpe.size());
  std::filesystem::remove(here_ / "tokenizer.json");  // leaves vocab.json and merges.txt
  expect_same(byte_bpe);
}

TEST_F(ExportedTokenizer, has_the_ids_of_its_words_and_marks) {
  const json whole = exported(words({"the", "\n", "cat"}), {.mask = true});
  EXPECT_EQ(whole["model"]["type"], "WordLevel");
  EXPECT_EQ(whole["model"]["vocab"],
            json({{"<unk>", 0}, {"<s>", 1}, {"</s>", 2}, {"the", 3}, {"\n", 4}, {"cat", 5}}));
  std::vector<std::string> added;
  for (const json& token : whole["added_tokens"]) {
    EXPECT_EQ(token["id"], token["content"] == "<mask>" ? 6 : std::ssize(added));
    EXPECT_EQ(token["special"], true);
    added.push_back(token["content"]);
  }
  EXPECT_THAT(added, ElementsAre("<unk>", "<s>", "</s>", "<mask>"));
  // Some corpora, such as WikiText, contain <unk> as a word: the mark is spelled otherwise.
  const json model = exported(words({"<unk>", "<<unk>>", "the"}))["model"];
  EXPECT_EQ(
      model["vocab"],
      json({{"<<<unk>>>", 0}, {"<s>", 1}, {"</s>", 2}, {"<unk>", 3}, {"<<unk>>", 4}, {"the", 5}}));
  EXPECT_EQ(model["unk_token"], "<<<unk>>>");
  EXPECT_EQ(file("tokenizer_config.json")["unk_token"], "<<<unk>>>");
}

// A subword at the start of a word includes the space before it. SentencePiece's normaliser itself
// adds a space before a text, so also after a mask.
TEST_F(ExportedTokenizer, has_a_mask_that_takes_the_spaces_beside_it) {
  const auto spaces = [&](const Tokenizer& tokenizer) {
    const json mask = exported(tokenizer, {.mask = true})["added_tokens"].back();
    EXPECT_EQ(mask["content"], "<mask>");
    return std::pair<bool, bool>(mask["lstrip"], mask["rstrip"]);
  };
  const SentencePieceTokenizer pieces(train_sentencepiece(
      read_lines(tokenizer_fixtures / "training.txt"), {.vocabulary = 320, .running_text = true}));
  EXPECT_EQ(spaces(words({"the"})), std::pair(false, false));
  EXPECT_EQ(spaces(trained_byte_bpe()), std::pair(true, false));
  EXPECT_EQ(spaces(pieces), std::pair(true, true));
}

TEST_F(ExportedTokenizer, spells_bytes_as_byte_characters) {
  const json whole = exported(VocabularyTokenizer(all_bytes(), Unit::byte));
  EXPECT_EQ(whole["model"]["vocab"].size(), 259U);
  EXPECT_EQ(whole["model"]["vocab"]["a"], mark_count + 'a');
  EXPECT_EQ(whole["model"]["vocab"]["\u0120"], mark_count + ' ');  // GPT-2's form of a space
  EXPECT_EQ(whole["model"]["merges"], json::array());
  EXPECT_EQ(whole["pre_tokenizer"]["use_regex"], false);
}

TEST_F(ExportedTokenizer, adds_the_marks_that_the_model_reads) {
  const VocabularyTokenizer tokenizer = words({"a"});
  EXPECT_EQ(exported(tokenizer)["post_processor"], nullptr);
  using Items = std::vector<std::string>;
  for (const auto& [added, items] : {std::pair(AddedMarks::end, Items{"A", "</s>"}),
                                     {AddedMarks::begin, {"<s>", "A"}},
                                     {AddedMarks::begin_after, {"A", "<s>"}},
                                     {AddedMarks::end_before, {"</s>", "A"}},
                                     {AddedMarks::begin_and_end, {"<s>", "A", "</s>"}}}) {
    const json processor =
        exported(tokenizer, {.added = added, .token_types = true})["post_processor"];
    EXPECT_EQ(items_of(processor["single"]), items);
    EXPECT_EQ(processor["special_tokens"].size(), items.size() - 1);
    for (const std::string& item : items) {
      const json ids = json::array({item == "<s>" ? 1 : 2});
      EXPECT_TRUE(item == "A" || processor["special_tokens"].at(item)["ids"] == ids) << item;
    }
  }
  EXPECT_THAT(items_of(file("tokenizer.json")["post_processor"]["pair"]),
              ElementsAre("<s>", "A", "</s>", "B of type 1", "</s> of type 1"));
}

TEST_F(ExportedTokenizer, names_its_marks_and_its_longest_text) {
  exported(words({"a"}), {.added = AddedMarks::begin_and_end, .mask = true, .longest = 77});
  const json config = file("tokenizer_config.json");
  EXPECT_EQ(config["tokenizer_class"], "PreTrainedTokenizerFast");
  EXPECT_EQ(config["model_max_length"], 77);
  EXPECT_EQ(config["clean_up_tokenization_spaces"], false);
  EXPECT_EQ(config["split_special_tokens"], false) << "the mask would be text, too";
  EXPECT_EQ(config["model_input_names"], json({"input_ids", "attention_mask"}));
  const json marks = file("special_tokens_map.json");
  EXPECT_EQ(marks, json({{"bos_token", "<s>"},
                         {"eos_token", "</s>"},
                         {"unk_token", "<unk>"},
                         {"pad_token", "<s>"},
                         {"cls_token", "<s>"},
                         {"sep_token", "</s>"},
                         {"mask_token", "<mask>"}}));
  for (const auto& [name, text] : marks.items()) {
    EXPECT_EQ(config[name], text);
  }
  exported(words({"a"}), {.padding = end_id});
  EXPECT_EQ(file("special_tokens_map.json")["pad_token"], "</s>");
  EXPECT_EQ(file("tokenizer_config.json")["split_special_tokens"], true) << "a mark is text";
  EXPECT_FALSE(file("tokenizer_config.json").contains("model_max_length"));
  EXPECT_FALSE(file("tokenizer_config.json").contains("mask_token"));
}

TEST_F(ExportedTokenizer, is_read_back_unless_another_program_changed_it) {
  const auto tokenizer = words({"a", "<s>", "b"});  // so its begin mark is spelled <<s>>
  json content = exported(tokenizer, {.mask = true});
  const auto read = read_written_tokenizer(here_.path());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->tokenizer->encode("b <s> a c"), tokenizer.encode("b <s> a c"));
  EXPECT_EQ(read->file_ids, (std::vector<Index>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(read->mask, 6);
  const auto with = [&](const char* place, const json& value) {
    json changed = content;
    changed[json::json_pointer(place)] = value;
    write_file_atomically(here_ / "tokenizer.json", changed.dump());
    return read_written_tokenizer(here_.path()).has_value();
  };
  EXPECT_TRUE(with("/model/later", nullptr)) << "an option that does nothing";
  for (const auto& [place, value] : {std::pair("/model/later", json(true)),
                                     {"/normalizer", nullptr},
                                     {"/pre_tokenizer", {{"type", "Whitespace"}}},
                                     {"/model/vocab/b", 9},  // an id is left out
                                     {"/decoder", nullptr},
                                     {"/model", "a"}}) {
    EXPECT_FALSE(with(place, value)) << place;
  }
}

TEST_F(ExportedTokenizer, is_refused_where_the_files_cannot_hold_it) {
  const auto error = [&](const Tokenizer& tokenizer) {
    return message_of<DataError>([&] { exported(tokenizer); });
  };
  EXPECT_THAT(error(words({"caf\xE9"})), HasSubstr("the entry caf\\xe9 is no UTF-8"));
  EXPECT_THAT(error(ClassTokenizer({"yes", "no"})), HasSubstr("no tokenizer of text"));
}

}}  // namespace tapehead
