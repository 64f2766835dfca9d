// Tokenizers of other programs: which marks are found, and what is rejected, by name.
#include "interchange/tokenizers/pretrained_tokenizers.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tokenizer_fixtures.hpp"

namespace tapehead { namespace {

using nlohmann::json;

class PretrainedJson : public Test {
 protected:
  static json fixture(const std::string& name) {
    return json::parse(read_file(tokenizer_fixtures / name / "tokenizer.json"));
  }

  std::string error_of(const json& content) const {
    std::ofstream(here_ / "tokenizer.json") << content;
    return io_error_of([&] { read_pretrained_tokenizer(here_.path()); });
  }

  TemporaryDirectory here_;
};

TEST_F(PretrainedJson, reads_both_spellings_of_merges) {
  json content = fixture("byte_bpe_json");
  ASSERT_TRUE(content["model"]["merges"][0].is_array());  // the package writes arrays since 0.20
  for (json& merge : content["model"]["merges"]) {
    merge = merge[0].get<std::string>() + " " + merge[1].get<std::string>();
  }
  EXPECT_EQ(error_of(content), "no error");
  const auto as_lists = read_pretrained_tokenizer(tokenizer_fixtures / "byte_bpe_json");
  const auto as_texts = read_pretrained_tokenizer(here_.path());
  for (const std::string text : {"The attention of the model", " naïve 123"}) {
    EXPECT_EQ(as_texts.tokenizer->encode(text), as_lists.tokenizer->encode(text));
  }
  content["model"]["merges"][0] = "a b c";
  EXPECT_THAT(error_of(content), HasSubstr("`a b c` is not two entries"));
}

// GPT-2 has one token as begin and end mark, and no unknown mark.
TEST_F(PretrainedJson, finds_the_marks) {
  const auto read = read_pretrained_tokenizer(tokenizer_fixtures / "byte_bpe_json");
  const Index mark = fixture("byte_bpe_json")["added_tokens"][0]["id"];
  EXPECT_THAT(std::span(read.file_ids).first(3),
              ElementsAre(-1, mark, mark));  // unknown, begin, end
  EXPECT_EQ(std::ssize(read.file_ids), read.tokenizer->size());
  EXPECT_FALSE(read.mask.has_value());
  json with_mask = fixture("byte_bpe_json");
  with_mask["added_tokens"].push_back({{"id", mark + 1}, {"content", "<mask>"}, {"special", true}});
  EXPECT_EQ(error_of(with_mask), "no error");
  EXPECT_EQ(read_pretrained_tokenizer(here_.path()).mask, mark + 1);
  const FileMarks given{.unknown = {}, .begin = mark + 1, .end = mark, .mask = {}};
  const auto with_given =
      read_pretrained_tokenizer(here_.path(), [&](const FileVocabulary&) { return given; });
  EXPECT_THAT(std::span(with_given.file_ids).first(3), ElementsAre(-1, mark + 1, mark));
}

TEST_F(PretrainedJson, names_what_a_byte_level_bpe_may_not_have) {
  const json digits = {{"type", "Sequence"},
                       {"pretokenizers",
                        {{{"type", "Split"}, {"pattern", {{"Regex", "\\d+"}}}},
                         {{"type", "ByteLevel"}, {"use_regex", false}}}}};
  struct Case {
    const char* place;
    json value;
    const char* said;
  };
  for (const auto& [place, value, said] : std::vector<Case>{
           {"/normalizer", {{"type", "NFC"}}, "normalizer is `NFC`"},
           {"/pre_tokenizer", {{"type", "Metaspace"}}, "pre_tokenizer is `Metaspace`"},
           {"/pre_tokenizer", digits, "\\\\d+"},
           {"/pre_tokenizer", nullptr, "pre_tokenizer is null"},
           {"/pre_tokenizer/add_prefix_space", true, "pre_tokenizer.add_prefix_space is true"},
           {"/pre_tokenizer/use_regex", false, "pre_tokenizer.use_regex is false"},
           {"/model/type", "WordLevel",
            R"(model is `WordLevel`, which is not supported (only "BPE" and "WordPiece"))"},
           {"/model/dropout", 0.1, "model.dropout is 0.1"},
           {"/model/end_of_word_suffix", "</w>", "model.end_of_word_suffix is `</w>`"},
           {"/model/ignore_merges", true, "model.ignore_merges is true"},
           {"/added_tokens/0/special", false, "`<|endoftext|>` is text"}}) {
    json changed = fixture("byte_bpe_json");
    changed[json::json_pointer(place)] = value;
    EXPECT_THAT(error_of(changed), AllOf(HasSubstr("tokenizer.json"), HasSubstr(said)));
  }
}

TEST(PretrainedFiles, are_named_if_they_are_damaged_or_missing) {
  const TemporaryDirectory here;
  const auto error = [&] { return io_error_of([&] { read_pretrained_tokenizer(here.path()); }); };
  EXPECT_THAT(error(), AllOf(HasSubstr(here.path().string()), HasSubstr("merges.txt")));
  std::ofstream(here / "vocab.json") << "{\"a\": 0}";
  EXPECT_THAT(error(), HasSubstr("merges.txt"));
  std::filesystem::copy(
      tokenizer_fixtures / "byte_bpe", here.path(),
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  // The config of a byte-level BPE may change no tokens.
  for (const auto& [file, content, said] : std::vector<std::array<std::string, 3>>{
           {"tokenizer_config.json", R"({"add_prefix_space": false, "model_max_length": 1024})",
            "no error"},
           {"tokenizer_config.json", R"({"add_prefix_space": true})",
            "tokenizer_config.add_prefix_space is true"},
           {"tokenizer_config.json", "[", "tokenizer_config.json: not JSON"},
           {"tokenizer.json", "{", "tokenizer.json: not JSON"},
           {"tokenizer.json", std::string(200'000, '['), "tokenizer.json: nested deeper"}}) {
    std::ofstream(here / file) << content;
    EXPECT_THAT(error(), HasSubstr(said));
  }
}

TEST_F(PretrainedJson, says_which_marks_are_around_a_text) {
  EXPECT_FALSE(marks_around_text(here_.path())) << "there is no tokenizer.json";
  const auto around = [&](const json& processor) {
    json content = fixture("byte_bpe_json");
    content["post_processor"] = processor;
    std::ofstream(here_ / "tokenizer.json") << content;
    return marks_around_text(here_.path()).value();
  };
  const json mark = {{"SpecialToken", {{"id", "</s>"}, {"type_id", 0}}}};
  const json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  json before = {{"type", "TemplateProcessing"},
                 {"single", {mark, text}},
                 {"special_tokens", {{"</s>", {{"id", "</s>"}, {"ids", {7}}}}}}};
  EXPECT_THAT(around(nullptr), FieldsAre(IsEmpty(), IsEmpty()));
  EXPECT_THAT(around({{"type", "ByteLevel"}}), FieldsAre(IsEmpty(), IsEmpty()));
  EXPECT_THAT(around(before), FieldsAre(ElementsAre(7), IsEmpty()));
  const json both = json::array({{{"type", "ByteLevel"}}, before});  // as in Llama 3
  EXPECT_THAT(around({{"type", "Sequence"}, {"processors", both}}),
              FieldsAre(ElementsAre(7), IsEmpty()));
  before["single"] = {text, mark};
  EXPECT_THAT(around(before), FieldsAre(IsEmpty(), ElementsAre(7)));
  for (const char* type : {"BertProcessing", "RobertaProcessing"}) {
    const json bert = {{"type", type}, {"cls", {"[CLS]", 2}}, {"sep", {"[SEP]", 3}}};
    EXPECT_THAT(around(bert), FieldsAre(ElementsAre(2), ElementsAre(3)));
  }
  before["single"] = json::array();
  EXPECT_THAT(io_error_of([&] { around(before); }),
              HasSubstr("tokenizer.json: post_processor.single has no place for the text"));
}

TEST_F(PretrainedJson, knows_the_usual_names_of_marks) {
  for (const auto& [begin, end] : {std::pair("<s>", "</s>"),
                                   {"[BOS]", "[EOS]"},
                                   {"<bos>", "<eos>"},
                                   {"<s>", "<|endoftext|>"},
                                   {"<|begin_of_text|>", "<|end_of_text|>"},
                                   {"<|startoftext|>", "<|endoftext|>"}}) {
    const FileMarks marks = marks_by_name({{begin, 4}, {end, 5}, {"a", 6}});
    EXPECT_EQ(marks.begin, 4) << begin;
    EXPECT_EQ(marks.end, 5) << end;
    EXPECT_FALSE(marks.unknown || marks.mask);
  }
}

// As in the first files of bert-base-uncased and others.
TEST_F(PretrainedJson, infers_a_type_that_is_missing) {
  for (const std::string name : {"byte_bpe_json", "word_piece_cased"}) {
    json content = fixture(name);
    const std::string text = "The attention of the model";
    content["model"].erase("type");
    EXPECT_EQ(error_of(content), "no error");
    EXPECT_EQ(read_pretrained_tokenizer(here_.path()).tokenizer->encode(text),
              read_pretrained_tokenizer(tokenizer_fixtures / name).tokenizer->encode(text));
  }
  json words = fixture("word_piece_cased");
  words["model"] = {{"vocab", {{"a", 0}}}, {"unk_token", "a"}};
  EXPECT_THAT(error_of(words), HasSubstr("model is `WordLevel`, which is not supported"));
  words["model"] = {{"vocab", json::array({json::array({"a", 0.5})})}, {"unk_id", 0}};
  EXPECT_THAT(error_of(words), HasSubstr("model is `Unigram`, which is not supported"));
}

}}  // namespace tapehead
