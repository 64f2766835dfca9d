// Tokenizers of other programs: which marks are found, and what is rejected, by name.
#include "interchange/tokenizers/pretrained_tokenizers.hpp"

#include <nlohmann/json.hpp>

#include "core/files/files.hpp"
#include "tests/support/io_error.hpp"
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

  // The error for a fixture with `value` at `place`.
  std::string error_with(const std::string& name, const std::string& place,
                         const json& value) const {
    json changed = fixture(name);
    changed[json::json_pointer(place)] = value;
    return error_of(changed);
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
  EXPECT_EQ(read.file_ids[unknown_id], -1);
  EXPECT_EQ(read.file_ids[begin_id], mark);
  EXPECT_EQ(read.file_ids[end_id], mark);
  EXPECT_EQ(std::ssize(read.file_ids), read.tokenizer->size());
  EXPECT_FALSE(read.mask.has_value());

  json with_mask = fixture("byte_bpe_json");
  with_mask["added_tokens"].push_back({{"id", mark + 1}, {"content", "<mask>"}, {"special", true}});
  EXPECT_EQ(error_of(with_mask), "no error");
  EXPECT_EQ(read_pretrained_tokenizer(here_.path()).mask, mark + 1);
}

TEST_F(PretrainedJson, names_what_a_byte_level_bpe_may_not_have) {
  const auto error = [&](const std::string& place, const json& value) {
    return error_with("byte_bpe_json", place, value);
  };
  EXPECT_THAT(error("/normalizer", {{"type", "NFC"}}),
              AllOf(HasSubstr("tokenizer.json"), HasSubstr("normalizer is `NFC`")));
  EXPECT_THAT(error("/pre_tokenizer", {{"type", "Metaspace"}}),
              HasSubstr("pre_tokenizer is `Metaspace`"));
  EXPECT_THAT(error("/pre_tokenizer", {{"type", "Sequence"},
                                       {"pretokenizers",
                                        {{{"type", "Split"}, {"pattern", {{"Regex", "\\d+"}}}},
                                         {{"type", "ByteLevel"}, {"use_regex", false}}}}}),
              HasSubstr("\\\\d+"));
  EXPECT_THAT(error("/pre_tokenizer", nullptr), HasSubstr("pre_tokenizer is null"));
  EXPECT_THAT(error("/pre_tokenizer/add_prefix_space", true),
              HasSubstr("pre_tokenizer.add_prefix_space is true"));
  EXPECT_THAT(error("/pre_tokenizer/use_regex", false),
              HasSubstr("pre_tokenizer.use_regex is false"));
  EXPECT_THAT(error("/model/type", "WordLevel"),
              HasSubstr("model is `WordLevel`, which is not supported (only \"BPE\" and "
                        "\"WordPiece\")"));
  EXPECT_THAT(error("/model/dropout", 0.1), HasSubstr("model.dropout is 0.1"));
  EXPECT_THAT(error("/model/end_of_word_suffix", "</w>"),
              HasSubstr("model.end_of_word_suffix is `</w>`"));
  EXPECT_THAT(error("/model/ignore_merges", true), HasSubstr("model.ignore_merges is true"));
  EXPECT_THAT(error("/added_tokens/0/special", false), HasSubstr("`<|endoftext|>` is text"));
}

TEST(PretrainedFiles, of_a_byte_level_bpe_may_have_a_config_that_changes_no_tokens) {
  const TemporaryDirectory here;
  std::filesystem::copy(tokenizer_fixtures / "byte_bpe", here.path());
  const auto error_with = [&](const std::string& config) {
    std::ofstream(here / "tokenizer_config.json") << config;
    return io_error_of([&] { read_pretrained_tokenizer(here.path()); });
  };
  EXPECT_EQ(error_with(R"({"add_prefix_space": false, "model_max_length": 1024})"), "no error");
  EXPECT_THAT(error_with(R"({"add_prefix_space": true})"),
              HasSubstr("tokenizer_config.add_prefix_space is true"));
  EXPECT_THAT(error_with("["), HasSubstr("tokenizer_config.json: not JSON"));
}

TEST_F(PretrainedJson, says_which_marks_are_around_a_text) {
  EXPECT_FALSE(marks_around_text(here_.path())) << "there is no tokenizer.json";
  const auto around = [&](const json& processor) {
    json content = fixture("byte_bpe_json");
    content["post_processor"] = processor;
    std::ofstream(here_ / "tokenizer.json") << content;
    const MarksAround marks = marks_around_text(here_.path()).value();
    return std::pair(marks.before, marks.behind);
  };
  using Marks = std::vector<Index>;
  const auto of = [](const Marks& before, const Marks& behind) {
    return std::pair(before, behind);
  };
  const json mark = {{"SpecialToken", {{"id", "</s>"}, {"type_id", 0}}}};
  const json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  json before = {{"type", "TemplateProcessing"},
                 {"single", {mark, text}},
                 {"special_tokens", {{"</s>", {{"id", "</s>"}, {"ids", {7}}}}}}};
  EXPECT_EQ(around(nullptr), of({}, {}));
  EXPECT_EQ(around({{"type", "ByteLevel"}}), of({}, {}));
  EXPECT_EQ(around(before), of({7}, {}));
  const json both = json::array({{{"type", "ByteLevel"}}, before});  // as in Llama 3
  EXPECT_EQ(around({{"type", "Sequence"}, {"processors", both}}), of({7}, {}));
  before["single"] = {text, mark};
  EXPECT_EQ(around(before), of({}, {7}));
  for (const char* type : {"BertProcessing", "RobertaProcessing"}) {
    const json bert = {{"type", type}, {"cls", {"[CLS]", 2}}, {"sep", {"[SEP]", 3}}};
    EXPECT_EQ(around(bert), of({2}, {3}));
  }
  before["single"] = json::array();
  EXPECT_THAT(io_error_of([&] { around(before); }),
              HasSubstr("tokenizer.json: post_processor.single has no place for the text"));
}

TEST_F(PretrainedJson, takes_the_marks_that_it_is_given) {
  json content = fixture("byte_bpe_json");
  const Index end = content["added_tokens"][0]["id"];
  content["added_tokens"].push_back({{"id", end + 1}, {"content", "<start>"}, {"special", true}});
  std::ofstream(here_ / "tokenizer.json") << content;
  const FileMarks given{.unknown = {}, .begin = end + 1, .end = end, .mask = {}};
  const auto read =
      read_pretrained_tokenizer(here_.path(), [&](const FileVocabulary&) { return given; });
  EXPECT_EQ(read.file_ids[unknown_id], -1);
  EXPECT_EQ(read.file_ids[begin_id], end + 1);
  EXPECT_EQ(read.file_ids[end_id], end);
}

TEST_F(PretrainedJson, knows_the_usual_names_of_marks) {
  struct Names {
    const char* begin;
    const char* end;
  };
  for (const auto& [begin, end] :
       {Names{"<s>", "</s>"}, Names{"[BOS]", "[EOS]"}, Names{"<bos>", "<eos>"},
        Names{"<s>", "<|endoftext|>"}, Names{"<|begin_of_text|>", "<|end_of_text|>"},
        Names{"<|startoftext|>", "<|endoftext|>"}}) {
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
    const auto with_type = read_pretrained_tokenizer(tokenizer_fixtures / name);
    content["model"].erase("type");
    EXPECT_EQ(error_of(content), "no error");
    EXPECT_EQ(read_pretrained_tokenizer(here_.path()).tokenizer->encode(text),
              with_type.tokenizer->encode(text));
  }
  json words = fixture("word_piece_cased");
  words["model"] = {{"vocab", {{"a", 0}}}, {"unk_token", "a"}};
  EXPECT_THAT(error_of(words), HasSubstr("model is `WordLevel`, which is not supported"));
  words["model"] = {{"vocab", json::array({json::array({"a", 0.5})})}, {"unk_id", 0}};
  EXPECT_THAT(error_of(words), HasSubstr("model is `Unigram`, which is not supported"));
}

TEST_F(PretrainedJson, says_where_a_file_is_damaged_or_missing) {
  EXPECT_THAT(io_error_of([&] { read_pretrained_tokenizer(here_.path()); }),
              AllOf(HasSubstr(here_.path().string()), HasSubstr("merges.txt")));
  std::ofstream(here_ / "vocab.json") << "{\"a\": 0}";
  EXPECT_THAT(io_error_of([&] { read_pretrained_tokenizer(here_.path()); }),
              HasSubstr("merges.txt"));
  std::ofstream(here_ / "tokenizer.json") << "{";
  EXPECT_THAT(io_error_of([&] { read_pretrained_tokenizer(here_.path()); }),
              HasSubstr("tokenizer.json: not JSON"));
  std::ofstream(here_ / "tokenizer.json") << std::string(200'000, '[');
  EXPECT_THAT(io_error_of([&] { read_pretrained_tokenizer(here_.path()); }),
              HasSubstr("tokenizer.json: nested deeper"));
}

}}  // namespace tapehead
