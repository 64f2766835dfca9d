// What a run's model reads for a line, for each kind of run.
#include "predict/reader.hpp"

#include "datasets/text/labelled_options.hpp"
#include "datasets/tokenizers/vocabulary.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

using Tokens = std::vector<TokenId>;

std::shared_ptr<const Tokenizer> of_units(const std::vector<std::string>& lines, Unit unit) {
  return std::make_shared<VocabularyTokenizer>(count_units(lines, unit, 100), unit);
}

// Entries start at 3 and are sorted by bytes, since each occurs once.
Tokenizers words() {
  const auto tokenizer = of_units({"a b c d"}, Unit::word);
  return {.source = tokenizer, .target = tokenizer};
}

Config config_of(std::string_view task, Family family) {
  Config config;
  config.task = TaskOptions(task);
  config.model.family = family;
  return config;
}

TEST(TextFront, is_the_mark_before_a_document_if_there_are_several) {
  const auto characters = of_units({"a\nb"}, Unit::character);
  const Tokens line = characters->encode("\n");
  ASSERT_THAT(line, SizeIs(1));
  const TokenId end = line.front();
  struct Front {
    bool begin_mark;
    bool stream;
    bool one_document;
    Tokens prompt;  // prompt of token 9
    Tokens empty;   // empty prompt
    Tokens whole;   // text of token 9
  };
  for (const auto& [begin_mark, stream, one_document, prompt, empty, whole] :
       std::vector<Front>{{true, false, false, {begin_id, 9}, {begin_id}, {begin_id, 9}},
                          {true, true, false, {end_id, 9}, {end_id}, {end_id, 9}},
                          {false, false, false, {9}, {begin_id}, {9}},
                          {true, false, true, {9}, {end}, {end, 9}},
                          {false, false, true, {9}, {end}, {9}}}) {
    TextOptions options;
    options.begin_mark = begin_mark;
    options.stream = stream;
    const TextFront of(options, *characters, one_document);
    EXPECT_EQ(of.prompt({9}), prompt);
    EXPECT_EQ(of.prompt({}), empty);
    EXPECT_EQ(of.whole({9}), whole);
  }
  const auto without_line_ends = words().source;
  EXPECT_THAT(TextFront(TextOptions(), *without_line_ends, true).prompt({}), ElementsAre(begin_id));
}

TEST(Reader, makes_a_pair_of_a_line_and_its_target) {
  const auto reader =
      reader_of(config_of("parallel_text", Family::encoder_decoder), words(), false);
  const LineRead read = reader->read({.text = "a b", .target = "c"});
  const auto source = reader->source({&read, 1}, {});
  const Sequence sequence = source->at(0);
  EXPECT_THAT(sequence.context.list(), ElementsAre(3, 4, end_id));
  EXPECT_THAT(sequence.input.list(), ElementsAre(begin_id, 5));
  EXPECT_THAT(sequence.labels.list(), ElementsAre(5, end_id));
  EXPECT_THAT(reader->prompt(read), ElementsAre(3, 4));
  EXPECT_EQ(reader->target_text(read), "c");
  EXPECT_THAT(reader->encoded(read), SizeIs(2));
  EXPECT_THAT(reader->encoded(reader->read(AskedLine{.text = "a"})), SizeIs(1));
  for (const auto& [target, count] : {std::pair("c", 1), {"", 0}}) {
    const LineRead line = reader->read({.text = "a b", .target = target});
    EXPECT_THAT([&] { reader->source({&line, 1}, {.input = InputRows::source}); },
                throws<DataError>(fmt::format("the text has 2 tokens and the target {}", count)));
  }
}

TEST(Reader, of_running_text_scores_each_token_once_from_half_a_context) {
  const auto reader = reader_of(config_of("text", Family::decoder), words(), false);
  const LineRead read = reader->read(AskedLine{.text = "a b c d a b"});
  const auto source = reader->source({&read, 1}, {});
  const Sequence whole = source->at(0);
  EXPECT_THAT(whole.input.list(), ElementsAre(begin_id, 3, 4, 5, 6, 3, 4));
  EXPECT_THAT(whole.labels.list(), ElementsAre(3, 4, 5, 6, 3, 4));
  const auto windows = reader->to_score(read, {}, 4);
  ASSERT_EQ(windows->size(), 2);
  EXPECT_THAT(windows->at(0).labels.list(), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(windows->at(1).input.list(), ElementsAre(4, 5, 6, 3));
  EXPECT_THAT(windows->at(1).labels.list(), ElementsAre(3, 4));
  EXPECT_EQ(windows->at(1).first_label, 2);
  EXPECT_FALSE(reader->has_targets());
  EXPECT_THAT([&] { reader->read({.text = "a", .target = "b"}); },
              throws<ConfigError>("reads one text"));
}

TEST(Reader, of_masked_text_finds_masks_and_leaves_them_out_of_what_it_encoded) {
  Config config = config_of("text", Family::encoder);
  config.task.as<TextOptions>().context = 4;
  config.task.as<TextOptions>().documents = DocumentEnd::line;
  const auto reader = reader_of(config, words(), false, "_");
  const LineRead read = reader->read(AskedLine{.text = "a _ c"});
  const TokenId mask = static_cast<TokenId>(words().source->size());
  EXPECT_THAT(read.tokens, ElementsAre(3, mask, 5));
  EXPECT_THAT(read.masks, ElementsAre(1));
  const auto source = reader->source({&read, 1}, {});
  const Sequence sequence = source->at(0);
  EXPECT_THAT(sequence.input.list(), ElementsAre(begin_id, 3, mask, 5, end_id));
  EXPECT_THAT(sequence.label_rows, ElementsAre(2));
  const LineRead full = reader->read(AskedLine{.text = "a b c d"});
  EXPECT_THAT(reader->source({&full, 1}, {})->at(0).input.list(), ElementsAre(begin_id, 3, 4, 5, 6))
      << "no room for an end mark";
  EXPECT_EQ(reader->encoded(read).front().text, "a   c");
  EXPECT_THAT(reader->encoded(read).front().tokens, ElementsAre(3, 5));
  EXPECT_THAT([&] { reader->read(AskedLine{.text = "a b c d a"}); },
              throws<DataError>("5 tokens, but the model reads 4 at a time"));
  EXPECT_THAT([&] { reader_of(config, words(), false, ""); },
              throws<ConfigError>("the mask is empty"));
}

TEST(Reader, of_texts_with_a_class_knows_all_classes) {
  Config config = config_of("labelled_text", Family::encoder);
  config.task.as<LabelledTextOptions>().texts = 2;
  config.task.as<LabelledTextOptions>().max_length = 3;
  Tokenizers tokenizers = words();
  tokenizers.target = std::make_shared<ClassTokenizer>(std::vector<std::string>{"no", "yes"});
  const auto reader = reader_of(config, tokenizers, false);
  const LineRead read = reader->read({.text = "a b c\td", .target = "yes"});
  EXPECT_THAT(read.tokens, ElementsAre(3, 4, end_id, 6));
  EXPECT_EQ(read.first_text, 2);
  EXPECT_THAT(read.warning, HasSubstr("longer than task.max_length"));
  EXPECT_EQ(reader->target_text(read), "yes");
  EXPECT_THAT(reader->source({&read, 1}, {.input = InputRows::source})->at(0).labels.list(),
              ElementsAre(1));
  EXPECT_THAT([&] { reader->read(AskedLine{.text = "a"}); },
              throws<DataError>("1 text separated by tabs, but the model reads 2"));
  EXPECT_THAT([&] { reader->read({.text = "a\tb", .target = "maybe"}); },
              throws<DataError>("there is no class maybe; the run's classes are no, yes"));
}

}}  // namespace tapehead
