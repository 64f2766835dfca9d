// The task text: its splits hold the text as tokens of each tokenizer; rejected files.
#include "datasets/corpus/token_text.hpp"
#include "datasets/loader.hpp"
#include "datasets/make_task.hpp"
#include "datasets/text/documents.hpp"
#include "datasets/text/text_options.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "datasets/tokenizers/vocabulary.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/logged.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tapehead { namespace {

// Has indented lines, a blank line, and characters of two and three bytes.
constexpr std::string_view poem =
    "Two bees met a bear,\n  the bear met three bees;\n\nwhere bees meet a bear\n"
    "no bear is at ease — über bees\n";

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) {
    all += text;
  }
  return all;
}

class TextTask : public TestWithParam<TokenizerKind> {
 protected:
  // Validation and test use the same text.
  TextTask() {
    text_.train_text = text_.validation_text = text_.test_text = here_.write("text", poem);
    text_.context = 8;
    use(TokenizerKind::character);
  }

  void use(TokenizerKind tokenizer) {
    text_.tokenizer = tokenizer;
    text_.vocabulary = tokenizer == TokenizerKind::byte       ? TextOptions().vocabulary
                       : tokenizer == TokenizerKind::byte_bpe ? 270
                       : tokenizer == TokenizerKind::unigram  ? 30  // the text gives at most 31
                                                              : 48;
  }

  Task task(const TaskMaking& making = {.seed = 1}) const { return make_task(options_, making); }
  template <class Error = DataError>
  std::string complaint() const {
    return message_of<Error>([&] { task(); });
  }
  // Validation and test are the ends of the text.
  void share_out(const std::string& content) {
    text_.train_text = here_.write("shared", content);
    text_.validation_text = text_.test_text = "";
    text_.validation_share = 0.2;
    text_.test_share = 0.1;
  }

  const TemporaryDirectory here_;
  TaskOptions options_{"text"};
  TextOptions& text_ = options_.as<TextOptions>();
};

INSTANTIATE_TEST_SUITE_P(Kinds, TextTask,
                         Values(TokenizerKind::word, TokenizerKind::character, TokenizerKind::bpe,
                                TokenizerKind::unigram, TokenizerKind::byte,
                                TokenizerKind::byte_bpe),
                         [](const auto& test) { return std::string(name_of(test.param)); });

const TextCounts& counts_of(const Task& task, const char* split) {
  return task.split(split).text.tokens->counts();
}

std::string written_back(const Task& task, const TokenText& text) {
  PoolVector<TokenId> ids;
  text.append_to(ids, 0, text.size());
  return task.source_tokenizer->decode({ids.begin(), ids.end()});
}

// The word tokenizer drops spaces at the start of a line.
TEST_P(TextTask, holds_its_text_as_tokens_also_from_the_files_of_a_run) {
  use(GetParam());
  const Task made = task();
  std::string expected(poem.substr(0, poem.size() - 1));
  if (GetParam() == TokenizerKind::word) {
    expected.erase(expected.find("  "), 2);
  }
  save_tokenizers({made.source_tokenizer, made.target_tokenizer}, here_ / "run");
  std::filesystem::create_directory(here_ / "run/tokens");
  for (const Split& split : made.splits) {
    const TokenText& text = *split.text.tokens;
    EXPECT_EQ(written_back(made, text), expected);
    EXPECT_EQ(text.documents(), 1);
    EXPECT_EQ(text.counts().bytes, std::ssize(poem) - 1);
    EXPECT_EQ(text.counts().words, 23);  // in the poem above
    EXPECT_FALSE(text.counts().unknown.any());
    text.save(token_file(here_ / "run", split.name));
  }
  std::filesystem::remove(text_.train_text);
  const Task kept = task({.seed = 1, .tokenizers = here_ / "run"});
  EXPECT_EQ(kept.fingerprint, made.fingerprint);
  EXPECT_EQ(written_back(kept, *kept.splits[0].text.tokens), expected);
  EXPECT_EQ(kept.training(3)->at(1).labels.list(), made.training(3)->at(1).labels.list());
}

TEST_F(TextTask, of_tokens_that_its_vocabulary_does_not_have_is_refused) {
  const Task made = task();
  const Index entries = made.source_tokenizer->size();
  save_tokenizers({made.source_tokenizer, made.target_tokenizer}, here_ / "run");
  std::filesystem::create_directory(here_ / "run/tokens");
  for (const Index id : {entries, Index{1} << 31}) {  // in 4 bytes, 2^31 is the TokenId -2^31
    const auto token = static_cast<TokenId>(id);
    text_of_documents({{3, token}}, 70000).save(token_file(here_ / "run", "train"));
    EXPECT_THAT(
        [&] { task({.seed = 1, .tokenizers = here_ / "run"}); },
        throws<IoError>(fmt::format("run/tokens/train.tokens: token 2 has the id {}, but the "
                                    "run's vocabulary has {} entries",
                                    token, entries)));
  }
}

// Each row of a window reads the token before its label, or a document's begin mark.
TEST_P(TextTask, predicts_each_token_from_those_before) {
  use(GetParam());
  text_.documents = DocumentEnd::line;
  const Split split = task().split("validation");
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
  const Index before = task().split("test").size();
  const Split split = task({.seed = 1, .stride = 2}).split("test");
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
  text_.train_text = text_.validation_text = text_.test_text =
      here_.write("lines", repeated("abcdefgh\n", 40));
  text_.documents = DocumentEnd::line;
  const Task unmasked = task();
  EXPECT_EQ(unmasked.split("validation").size(), 80);
  const auto expect_maskable = [](const Source& source) {
    for (Index i = 0; i < source.size(); ++i) {
      EXPECT_GT(source.at(i).predicted, 0);
    }
  };
  TaskMaking masked{.seed = 1, .layout = {.input = InputRows::source}};
  const Task whole = task(masked);
  EXPECT_EQ(whole.split("validation").size(), 40);
  expect_maskable(*whole.split("validation").source);
  EXPECT_LT(whole.training(0)->size(), unmasked.training(0)->size());
  expect_maskable(*whole.training(0));
  masked.context = 4;  // windows of 4, 4 and 1 token; the last is left out
  const Task shorter = task(masked);
  EXPECT_EQ(shorter.split("validation").size(), 80);
  expect_maskable(*shorter.split("validation").source);
}

TEST_F(TextTask, has_the_ends_of_its_text_for_validation_and_test) {
  share_out(repeated("abcdefghi\n", 100));
  const Task lines = task();
  EXPECT_EQ(counts_of(lines, "train").bytes, 699);  // no line end after the last line
  EXPECT_EQ(counts_of(lines, "validation").bytes, 199);
  EXPECT_EQ(counts_of(lines, "test").bytes, 99);
  share_out(repeated("abcdefgh\n%\n", 100));  // lines between documents count towards a share too
  text_.documents = DocumentEnd::separator;
  text_.separator = "%";
  const Task apart = task();
  EXPECT_EQ(apart.split("train").text.tokens->documents(), 70);
  EXPECT_EQ(apart.split("validation").text.tokens->documents(), 20);
  EXPECT_EQ(apart.split("test").text.tokens->documents(), 10);
}

TEST_F(TextTask, has_another_fingerprint_with_any_option_that_made_its_tokens) {
  const std::string usual = task().fingerprint;
  EXPECT_EQ(task().fingerprint, usual);
  text_.vocabulary = 200;
  EXPECT_NE(task().fingerprint, usual);
  text_.vocabulary = 48;
  text_.context = 9;
  EXPECT_NE(task().fingerprint, usual);
  use(TokenizerKind::word_piece);
  const std::string kept_case = task().fingerprint;
  text_.lower_case = true;
  const Task lower = task();
  EXPECT_EQ(written_back(lower, *lower.splits.front().text.tokens)
                .find_first_of("\nABCDEFGHIJKLMNOPQRSTUVWXYZ"),
            std::string::npos);
  EXPECT_NE(lower.fingerprint, kept_case);
}

// Expects messages about the progress of reading, whose numbers grow.
void expect_progress(const std::string& log) {
  const std::string message = " MB read for the train split";
  std::vector<double> told;
  for (auto end = log.find(message); end != std::string::npos; end = log.find(message, end + 1)) {
    const std::size_t begin = log.find_last_not_of("0123456789.", end - 1) + 1;
    told.push_back(std::stod(log.substr(begin, end - begin)));
  }
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_GE((std::set<double>(told.begin(), told.end()).size()), 5U);
}

// A line of at least `bytes` bytes, with different words.
std::string long_line(std::size_t bytes, std::string_view sentence) {
  std::string line;
  for (Index i = 0; line.size() < bytes; ++i) {
    line += (i > 0 ? " " : "") + fmt::format(fmt::runtime(sentence), i * i * 31 % 911);
  }
  return line;
}

// 600 KB: at least ten parts. Unigram rounds sums over a line, so long lines use parts of 64 KiB.
TEST_P(TextTask, tells_how_far_it_is_within_a_line_and_has_its_tokens) {
  use(GetParam());
  const std::string line = long_line(600'000, "bees met {} bears at 'ease', über  a bear");
  const DocumentFiles files{
      .paths = {here_.write("line", line)}, .name = "line", .split = "train", .log_seconds = -1};
  const Logged logged;
  const auto tokenizer = make_text_tokenizer(files, text_);
  if (GetParam() == TokenizerKind::word || GetParam() == TokenizerKind::character) {
    expect_progress(logged.text());  // about the counting of units
  }
  const std::size_t before = logged.text().size();
  const TokenText text = write_tokens(files, *tokenizer);
  expect_progress(logged.text().substr(before));
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
  const std::string line = long_line(300'000, "bees met {} bears at ease");
  std::string parts;
  for (std::string_view rest = line; !rest.empty();) {  // cut as for a trainer
    parts += fmt::format("{}\n", take_part(rest, 4096));
    rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
  }
  for (const TokenizerKind kind :
       {TokenizerKind::bpe, TokenizerKind::unigram, TokenizerKind::byte_bpe}) {
    text_.tokenizer = kind;
    text_.vocabulary = 200;
    const auto tokenizer_of = [&](const std::string& content) {
      return make_text_tokenizer(
          {.paths = {here_.write("content", content)}, .name = "text", .split = "train"}, text_);
    };
    const auto of_line = tokenizer_of(line);
    const auto of_parts = tokenizer_of(parts);
    EXPECT_EQ(tokenizer_digest(*of_line), tokenizer_digest(*of_parts));
    EXPECT_EQ(of_line->encode(line), of_parts->encode(line));
  }
}

TEST_F(TextTask, makes_its_tokenizer_from_what_it_trains_on) {
  text_.validation_text = here_.write("other", "a bear?\nwho met bees?\n");
  const UnknownText unknown = counts_of(task(), "validation").unknown;
  EXPECT_EQ(unknown.tokens, 2);
  EXPECT_EQ(unknown.first, "?");
  EXPECT_EQ(unknown.first_line, 1);
}

TEST_F(TextTask, leaves_out_documents_without_tokens) {
  use(TokenizerKind::word);
  text_.documents = DocumentEnd::separator;
  text_.separator = "%";
  text_.train_text = here_.write("documents", "a b\n%\n \n%\nc\n");
  EXPECT_EQ(task().split("train").text.tokens->documents(), 2);
}

TEST_F(TextTask, warns_of_a_separator_that_no_line_is) {
  text_.documents = DocumentEnd::separator;
  text_.separator = "%";
  text_.train_text = here_.write("right", "two bees\n%\nmet a bear\n");
  text_.validation_text = here_.write("wrong", "two bees\n%%\nmet a bear\n");
  text_.test_text = here_.write("blanks", "two bees\n% \nmet\n %\na bear\n");
  const Logged logged;
  task();
  EXPECT_THAT(
      logged.text(),
      AllOf(Not(HasSubstr("right")),
            HasSubstr("wrong: no line is the task.separator, %, so each file is one "
                      "document\n"),
            HasSubstr("one document; 2 lines differ from the separator only by white space")));
}

struct NoText {
  std::string content;
  DocumentEnd end;
  std::string error;
};

TEST_F(TextTask, says_why_a_split_has_no_text) {
  for (const auto& [content, end, error] :
       {NoText{"two bees met a bear\n", DocumentEnd::file,
               "1 line, and a split begins at the start of a line; "
               "more lines are needed, or a file for task.validation_text"},
        {"two bees\nmet a bear\n\nthe bear met bees\n", DocumentEnd::blank_line,
         "2 documents, and a split begins at the start of a document; more documents are needed"},
        {"two bees\nmet a bear\n\nthe bear met bees\n", DocumentEnd::separator,
         "1 document, and a split begins at the start of a document; no line is the "
         "task.separator, XX; "
         "more"}}) {
    share_out(content);
    text_.test_share = 0;
    text_.validation_share = 0.1;
    text_.documents = end;
    text_.separator = end == DocumentEnd::separator ? "XX" : "";
    EXPECT_THAT(complaint(),
                HasSubstr("shared: no text for the validation split: the text has " + error));
  }
}

TEST_F(TextTask, refuses_what_it_cannot_train_on) {
  text_.stream = true;
  EXPECT_THAT(complaint<ConfigError>(), HasSubstr("task.stream: true has no effect"));
  text_.stream = false;
  text_.context = 1000;
  EXPECT_THAT(complaint(), AllOf(HasSubstr("text: the train split has "),
                                 HasSubstr(" tokens, fewer than task.context (1000)")));
  text_.context = 8;
  text_.train_text = here_.write("blank", "\n\n");
  text_.documents = DocumentEnd::line;
  EXPECT_THAT(complaint(), HasSubstr("blank: no text for the train split"));
  text_.train_text = (here_ / "none").string();
  EXPECT_THAT(complaint<IoError>(), HasSubstr("task.train_text: there is no file"));
  text_.train_text = here_.path().string();
  EXPECT_THAT(complaint<IoError>(), HasSubstr("it is not a file"));
}

}}  // namespace tapehead
