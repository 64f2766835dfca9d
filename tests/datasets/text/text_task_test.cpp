// The task text: its splits hold the text as tokens of each tokenizer; rejected files.
#include "datasets/corpus/token_text.hpp"
#include "datasets/loader.hpp"
#include "datasets/make_task.hpp"
#include "datasets/text/documents.hpp"
#include "datasets/text/text_options.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "datasets/tokenizers/vocabulary.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/logged.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

// Has indented lines, a blank line, and characters of two and three bytes.
constexpr std::string_view poem =
    "Two bees met a bear,\n  the bear met three bees;\n\nwhere bees meet a bear\n"
    "no bear is at ease — über bees\n";

class TextTask : public TestWithParam<TokenizerKind> {
 protected:
  void SetUp() override { write("text", poem); }

  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(here_ / name) << content;
    return (here_ / name).string();
  }

  // Validation and test use the same text.
  TaskOptions options(TokenizerKind tokenizer) const {
    TaskOptions options("text");
    auto& text = options.as<TextOptions>();
    text.train_text = text.validation_text = text.test_text = (here_ / "text").string();
    text.context = 8;
    text.tokenizer = tokenizer;
    text.vocabulary = tokenizer == TokenizerKind::byte       ? TextOptions().vocabulary
                      : tokenizer == TokenizerKind::byte_bpe ? 270
                      : tokenizer == TokenizerKind::unigram  ? 30  // the text gives at most 31
                                                             : 48;
    return options;
  }

  TemporaryDirectory here_;
};

INSTANTIATE_TEST_SUITE_P(
    Kinds, TextTask,
    Values(TokenizerKind::word, TokenizerKind::character, TokenizerKind::bpe,
           TokenizerKind::unigram, TokenizerKind::byte, TokenizerKind::byte_bpe),
    [](const auto& test) {
      return std::string(EnumNames<TokenizerKind>::names[static_cast<std::size_t>(test.param)]);
    });

std::string written_back(const Task& task, const TokenText& text) {
  PoolVector<TokenId> ids;
  text.append_to(ids, 0, text.size());
  return task.source_tokenizer->decode({ids.begin(), ids.end()});
}

// The word tokenizer drops spaces at the start of a line.
TEST_P(TextTask, holds_its_text_as_tokens) {
  const Task task = make_task(options(GetParam()), {.seed = 1});
  std::string expected(poem.substr(0, poem.size() - 1));
  if (GetParam() == TokenizerKind::word) {
    expected.erase(expected.find("  "), 2);
  }
  for (const Split& split : task.splits) {
    const TokenText& text = *split.text.tokens;
    EXPECT_EQ(written_back(task, text), expected);
    EXPECT_EQ(text.documents(), 1);
    EXPECT_EQ(text.counts().bytes, std::ssize(poem) - 1);
    EXPECT_EQ(text.counts().words, 23);  // in the poem above
    EXPECT_FALSE(text.counts().unknown.any());
  }
}

TEST_P(TextTask, is_the_same_from_the_files_of_a_run) {
  const Task made = make_task(options(GetParam()), {.seed = 1});
  save_tokenizers({made.source_tokenizer, made.target_tokenizer}, here_ / "run");
  std::filesystem::create_directory(here_ / "run/tokens");
  for (const Split& split : made.splits) {
    split.text.tokens->save(token_file(here_ / "run", split.name));
  }
  std::filesystem::remove(here_ / "text");
  const Task task = make_task(options(GetParam()), {.seed = 1, .tokenizers = here_ / "run"});
  EXPECT_EQ(task.fingerprint, made.fingerprint);
  EXPECT_EQ(written_back(task, *task.splits[0].text.tokens),
            written_back(made, *made.splits[0].text.tokens));
  EXPECT_EQ(task.training(3)->at(1).labels.list(), made.training(3)->at(1).labels.list());
}

TEST_F(TextTask, of_tokens_that_its_vocabulary_does_not_have_is_refused) {
  const Task made = make_task(options(TokenizerKind::character), {.seed = 1});
  const Index entries = made.source_tokenizer->size();
  save_tokenizers({made.source_tokenizer, made.target_tokenizer}, here_ / "run");
  std::filesystem::create_directory(here_ / "run/tokens");
  for (const Index id : {entries, Index{1} << 31}) {  // in 4 bytes, 2^31 is the TokenId -2^31
    TokenTextWriter writer(70000);
    writer.add(std::vector<TokenId>{3, static_cast<TokenId>(id)});
    writer.end_document();
    writer.finish({}).save(token_file(here_ / "run", "train"));
    EXPECT_THAT(io_error_of([&] {
                  make_task(options(TokenizerKind::character),
                            {.seed = 1, .tokenizers = here_ / "run"});
                }),
                HasSubstr(fmt::format("run/tokens/train.tokens: token 2 is {}, but the run's "
                                      "vocabulary has {} entries",
                                      static_cast<TokenId>(id), entries)));
  }
}

TEST_F(TextTask, of_a_word_piece_holds_words_without_line_ends) {
  TaskOptions lower = options(TokenizerKind::word_piece);
  lower.as<TextOptions>().lower_case = true;
  const Task task = make_task(lower, {.seed = 1});
  const std::string text = written_back(task, *task.splits.front().text.tokens);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(text.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), std::string::npos);
  const Task kept_case = make_task(options(TokenizerKind::word_piece), {.seed = 1});
  EXPECT_NE(kept_case.fingerprint, task.fingerprint);
}

// Each row of a window reads the token before its label, or a document's begin mark.
TEST_P(TextTask, predicts_each_token_from_those_before) {
  TaskOptions lines = options(GetParam());
  lines.as<TextOptions>().documents = DocumentEnd::line;
  const Task task = make_task(lines, {.seed = 1});
  const Split& split = task.split("validation");
  const TokenText& text = *split.text.tokens;
  ASSERT_EQ(text.documents(), 4);  // one per line that is not blank
  const WindowList windows =
      evaluation_windows(text, split.text.windowing, split.text.windowing.context);
  for (Index i = 0; i < split.size(); ++i) {
    const Window window = windows[i];
    const Batch batch = pack(*split.source, {i});
    expect_whole(batch);
    for (Index row = 0; row < batch.input.rows(); ++row) {
      const auto at = static_cast<std::size_t>(row);
      EXPECT_EQ(batch.labels.ids[at], text[window.first + row]);
      EXPECT_EQ(batch.input.ids[at],
                row == 0 && window.opens ? begin_id : text[window.first + row - 1]);
    }
  }
}

TEST_F(TextTask, with_a_stride_labels_the_last_rows_of_a_window) {
  const TaskOptions character = options(TokenizerKind::character);
  const Index before = make_task(character, {.seed = 1}).split("test").size();
  const Task task = make_task(character, {.seed = 1, .stride = 2});
  const Split& split = task.split("test");
  EXPECT_GT(split.size(), 3 * before);
  const Batch batch = pack(*split.source, {0, 5});
  expect_whole(batch);
  EXPECT_FALSE(batch.labels.every_row);
  EXPECT_EQ(batch.labels.count(), 8 + 2);
  EXPECT_EQ(batch.labels.rows[8], 8 + 6);
  EXPECT_EQ(batch.labels.ids[8], (*split.text.tokens)[16]);  // the last two of 8 + 5 · 2 tokens
}

// Lines of 8 characters and an end mark, in windows of 8 tokens. Unless cut earlier, a line leaves
// the mark alone in a window.
TEST_F(TextTask, for_masks_has_a_token_to_mask_in_every_window) {
  TaskOptions lines = options(TokenizerKind::character);
  auto& text = lines.as<TextOptions>();
  std::string content;
  for (int i = 0; i < 40; ++i) {
    content += "abcdefgh\n";
  }
  text.train_text = text.validation_text = text.test_text = write("lines", content);
  text.documents = DocumentEnd::line;
  const Task unmasked = make_task(lines, {.seed = 1});
  EXPECT_EQ(unmasked.split("validation").size(), 80);
  const auto expect_maskable = [](const Source& source) {
    for (Index i = 0; i < source.size(); ++i) {
      EXPECT_GT(source.at(i).predicted, 0);
    }
  };
  TaskMaking masked{.seed = 1, .layout = {.input = InputRows::source}};
  const Task task = make_task(lines, masked);
  EXPECT_EQ(task.split("validation").size(), 40);
  expect_maskable(*task.split("validation").source);
  EXPECT_LT(task.training(0)->size(), unmasked.training(0)->size());
  expect_maskable(*task.training(0));
  masked.context = 4;  // windows of 4, 4 and 1 token; the last is left out
  const Task shorter = make_task(lines, masked);
  EXPECT_EQ(shorter.split("validation").size(), 80);
  expect_maskable(*shorter.split("validation").source);
}

TEST_F(TextTask, has_the_ends_of_its_text_for_validation_and_test) {
  std::string numbers;
  for (int i = 0; i < 100; ++i) {
    numbers += "abcdefghi\n";
  }
  TaskOptions shared = options(TokenizerKind::character);
  auto& text = shared.as<TextOptions>();
  text.train_text = write("numbers", numbers);
  text.validation_text = text.test_text = "";
  text.validation_share = 0.2;
  text.test_share = 0.1;
  const Task task = make_task(shared, {.seed = 1});
  const auto bytes = [&](const char* name) { return task.split(name).text.tokens->counts().bytes; };
  EXPECT_EQ(bytes("train"), 699);  // no line end after the last line
  EXPECT_EQ(bytes("validation"), 199);
  EXPECT_EQ(bytes("test"), 99);
}

// Lines between documents count towards a share too.
TEST_F(TextTask, shares_out_documents_that_lie_apart) {
  std::string documents;
  for (int i = 0; i < 100; ++i) {
    documents += "abcdefgh\n%\n";
  }
  TaskOptions shared = options(TokenizerKind::character);
  auto& text = shared.as<TextOptions>();
  text.train_text = write("documents", documents);
  text.validation_text = text.test_text = "";
  text.validation_share = 0.2;
  text.test_share = 0.1;
  text.documents = DocumentEnd::separator;
  text.separator = "%";
  const Task task = make_task(shared, {.seed = 1});
  EXPECT_EQ(task.split("train").text.tokens->documents(), 70);
  EXPECT_EQ(task.split("validation").text.tokens->documents(), 20);
  EXPECT_EQ(task.split("test").text.tokens->documents(), 10);
}

TEST_F(TextTask, has_another_fingerprint_with_any_option_that_made_its_tokens) {
  const TaskOptions usual = options(TokenizerKind::character);
  const std::string fingerprint = make_task(usual, {.seed = 1}).fingerprint;
  EXPECT_EQ(make_task(usual, {.seed = 1}).fingerprint, fingerprint);
  TaskOptions other = usual;
  other.as<TextOptions>().vocabulary = 200;
  EXPECT_NE(make_task(other, {.seed = 1}).fingerprint, fingerprint);
  other = usual;
  other.as<TextOptions>().context = 9;
  EXPECT_NE(make_task(other, {.seed = 1}).fingerprint, fingerprint);
}

TEST_F(TextTask, is_no_stream_of_one_document) {
  TaskOptions stream = options(TokenizerKind::character);
  stream.as<TextOptions>().stream = true;
  EXPECT_THAT(message_of<ConfigError>([&] { make_task(stream, {.seed = 1}); }),
              HasSubstr("task.stream: true has no effect"));
}

// The numbers in the progress messages about reading the text.
std::vector<double> megabytes_told(const std::string& log) {
  const std::string message = " MB read for the train split";
  std::vector<double> all;
  for (auto end = log.find(message); end != std::string::npos; end = log.find(message, end + 1)) {
    const std::size_t begin = log.find_last_not_of("0123456789.", end - 1) + 1;
    all.push_back(std::stod(log.substr(begin, end - begin)));
  }
  return all;
}

// 600 KB: at least ten parts. Unigram rounds sums over a line, so long lines use parts of 64 KiB.
TEST_P(TextTask, tells_how_far_it_is_within_a_line_and_has_its_tokens) {
  std::string line;
  for (int i = 0; line.size() < 600'000; ++i) {
    line += fmt::format("{}bees met {} bears at 'ease', über  a bear", i > 0 ? " " : "",
                        i * i * 31 % 911);
  }
  const DocumentFiles files{
      .paths = {write("line", line)}, .name = "line", .split = "train", .log_seconds = -1};
  const TaskOptions text_options = options(GetParam());
  DocumentFiles seldom = files;
  seldom.log_seconds = 60;
  const auto tokenizer = make_text_tokenizer(seldom, text_options.as<TextOptions>());
  const Logged logged;
  const TokenText text = write_tokens(files, *tokenizer);
  const std::vector<double> told = megabytes_told(logged.text());
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_GE((std::set<double>(told.begin(), told.end()).size()), 5U);
  std::vector<TokenId> expected = tokenizer->encode(line);
  expected.push_back(end_id);
  ASSERT_EQ(text.size(), std::ssize(expected));
  for (Index i = 0; i < text.size(); ++i) {
    ASSERT_EQ(text[i], expected[static_cast<std::size_t>(i)]) << i;
  }
  EXPECT_EQ(text.counts().bytes, std::ssize(line));
  EXPECT_EQ(text.counts().words, std::ssize(units_of(line, Unit::word)));
}

TEST_F(TextTask, learns_subwords_from_a_long_line_as_from_lines_of_its_parts) {
  std::string line;
  for (Index i = 0; line.size() < 300'000; ++i) {
    line += fmt::format("{}bees met {} bears at ease", i > 0 ? " " : "", i * i * 31 % 911);
  }
  std::string parts;
  for (std::string_view rest = line; !rest.empty();) {  // cut as for a trainer
    parts += fmt::format("{}\n", take_part(rest, 4096));
    rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
  }
  for (const TokenizerKind kind :
       {TokenizerKind::bpe, TokenizerKind::unigram, TokenizerKind::byte_bpe}) {
    TaskOptions all = options(kind);
    all.as<TextOptions>().vocabulary = 200;
    const auto tokenizer_of = [&](const std::filesystem::path& path) {
      return make_text_tokenizer({.paths = {path}, .name = "text", .split = "train"},
                                 all.as<TextOptions>());
    };
    const auto of_line = tokenizer_of(write("line", line));
    const auto of_parts = tokenizer_of(write("parts", parts));
    EXPECT_EQ(tokenizer_digest(*of_line), tokenizer_digest(*of_parts));
    EXPECT_EQ(of_line->encode(line), of_parts->encode(line));
  }
}

TEST_F(TextTask, tells_how_far_the_counting_of_units_is_within_a_line) {
  std::string line;
  for (int i = 0; line.size() < 600'000; ++i) {
    line += fmt::format("{}bees{} met a bear", i > 0 ? " " : "", i);
  }
  const DocumentFiles files{
      .paths = {write("line", line)}, .name = "line", .split = "train", .log_seconds = -1};
  for (const TokenizerKind kind : {TokenizerKind::word, TokenizerKind::character}) {
    TaskOptions all = options(kind);
    const Logged logged;
    make_text_tokenizer(files, all.as<TextOptions>());
    const std::vector<double> told = megabytes_told(logged.text());
    EXPECT_TRUE(std::ranges::is_sorted(told));
    EXPECT_GE((std::set<double>(told.begin(), told.end()).size()), 5U);
  }
}

TEST_F(TextTask, makes_its_tokenizer_from_what_it_trains_on) {
  TaskOptions other = options(TokenizerKind::character);
  other.as<TextOptions>().validation_text = write("other", "a bear?\nwho met bees?\n");
  const Task task = make_task(other, {.seed = 1});
  const UnknownText& unknown = task.split("validation").text.tokens->counts().unknown;
  EXPECT_EQ(unknown.tokens, 2);
  EXPECT_EQ(unknown.first, "?");
  EXPECT_EQ(unknown.first_line, 1);
}

TEST_F(TextTask, leaves_out_documents_without_tokens) {
  TaskOptions lines = options(TokenizerKind::word);
  auto& text = lines.as<TextOptions>();
  text.documents = DocumentEnd::separator;
  text.separator = "%";
  text.train_text = write("documents", "a b\n%\n \n%\nc\n");
  EXPECT_EQ(make_task(lines, {.seed = 1}).split("train").text.tokens->documents(), 2);
}

TEST_F(TextTask, warns_of_a_separator_that_no_line_is) {
  TaskOptions documents = options(TokenizerKind::character);
  auto& text = documents.as<TextOptions>();
  text.documents = DocumentEnd::separator;
  text.separator = "%";
  text.train_text = write("right", "two bees\n%\nmet a bear\n");
  text.validation_text = write("wrong", "two bees\n%%\nmet a bear\n");
  text.test_text = write("blanks", "two bees\n% \nmet\n %\na bear\n");
  const Logged logged;
  make_task(documents, {.seed = 1});
  EXPECT_THAT(logged.text(), Not(HasSubstr("right")));
  EXPECT_THAT(logged.text(), HasSubstr("wrong: no line is the task.separator, %, so each file is "
                                       "one document\n"));
  EXPECT_THAT(logged.text(), HasSubstr("one document; 2 lines differ from it only by white space "
                                       "at the ends"));
}

TEST_F(TextTask, says_why_a_split_has_no_text) {
  TaskOptions shared = options(TokenizerKind::character);
  auto& text = shared.as<TextOptions>();
  text.validation_text = text.test_text = "";
  text.validation_share = 0.1;
  const auto complaint = [&] {
    return message_of<DataError>([&] { make_task(shared, {.seed = 1}); });
  };
  text.train_text = write("line", "two bees met a bear\n");
  EXPECT_THAT(complaint(),
              EndsWith("line: no text for the validation split: the text has 1 line, and a split "
                       "begins with a line; more lines are needed, or a file for "
                       "task.validation_text"));
  text.train_text = write("lines", "two bees\nmet a bear\n\nthe bear met bees\n");
  text.documents = DocumentEnd::blank_line;
  EXPECT_THAT(complaint(), HasSubstr("the text has 2 documents, and a split begins with a document"
                                     "; more documents are needed"));
  text.documents = DocumentEnd::separator;
  text.separator = "XX";
  EXPECT_THAT(complaint(), HasSubstr("the text has 1 document, and a split begins with a document; "
                                     "no line is the task.separator, XX; more"));
}

TEST_F(TextTask, refuses_what_it_cannot_train_on) {
  TaskOptions wrong = options(TokenizerKind::character);
  auto& text = wrong.as<TextOptions>();
  const auto complaint = [&] {
    return message_of<DataError>([&] { make_task(wrong, {.seed = 1}); });
  };
  text.context = 1000;
  EXPECT_THAT(complaint(), AllOf(HasSubstr("text: the train split has "),
                                 HasSubstr(" tokens, fewer than task.context (1000)")));
  text.context = 8;
  text.train_text = write("blank", "\n\n");
  text.documents = DocumentEnd::line;
  EXPECT_THAT(complaint(), HasSubstr("blank: no text for the train split"));
  text.train_text = (here_ / "none").string();
  EXPECT_THAT(io_error_of([&] { make_task(wrong, {.seed = 1}); }),
              HasSubstr("task.train_text: there is no file"));
  text.train_text = here_.path().string();
  EXPECT_THAT(io_error_of([&] { make_task(wrong, {.seed = 1}); }), HasSubstr("it is not a file"));
}

}}  // namespace tapehead
