// Masked language models: training from text, bit-identical for any threads and after a resume, and
// use by `fill`.
#include <nlohmann/json.hpp>

#include "datasets/tokenizers/tokenizer.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_training.hpp"

namespace tapehead { namespace {

class Fill : public ProgramRuns {
 protected:
  void train(const std::string& run, Arguments overrides = {}, const Arguments& options = {}) {
    overrides.insert(overrides.begin(), {"model.family=encoder", "model.max_positions=25",
                                         "training.schedule=constant"});
    output(text_training(here, run, overrides, options));
  }

  // The tokens that a run reads for a line, as vocabulary entries.
  std::vector<std::string> tokens(const std::string& run, const std::string& line) {
    return nlohmann::json::parse(output({"attention", run, line, "--json"}))["source_tokens"];
  }
};

// A line of text with these tokens.
std::string line_of(const std::vector<std::string>& tokens) {
  std::string line;
  for (std::string token : tokens) {
    if (token.starts_with(space_shown)) {
      token.replace(0, space_shown.size(), " ");
    }
    line += token;
  }
  return line.starts_with(' ') ? line.substr(1) : line;
}

TEST_F(Fill, gives_the_likely_tokens_of_each_mask) {
  train("a");
  const auto filled = nlohmann::json::parse(
      output({"fill", "a", "--json", "--top", "3"}, "a m<mask>n on <mask>\n"));
  EXPECT_EQ(filled["text"], "a m<mask>n on <mask>");
  ASSERT_EQ(filled["masks"].size(), 2U);
  double before = 1;
  for (const auto& candidate : filled["masks"][0]) {
    EXPECT_LE(candidate["probability"], before);
    before = candidate["probability"];
    EXPECT_THAT(candidate["text"].get<std::string>(),
                HasSubstr("a m" + candidate["token"].get<std::string>() + "n on "));
  }
  EXPECT_EQ(filled["masks"][1].size(), 3U);
  const auto candidates = lines_of(output({"fill", "a", "--top", "2", "--mask", "_"}, "a m_n\n"));
  EXPECT_EQ(candidates.size(), 3U);  // two candidates and an empty line
}

// Replacing a token by a mask does not change the other tokens. A mask absorbs the space before it,
// so after a space token it gets another space.
TEST_F(Fill, reads_the_tokens_around_a_mask_as_without_it) {
  for (const std::string kind : {"bpe", "unigram", "byte_bpe"}) {
    train(kind, {"task.tokenizer=" + kind,
                 kind == "byte_bpe" ? "task.vocabulary=300" : "task.vocabulary=70"});
    const std::vector<std::string> whole = tokens(kind, "two men are running .");
    for (std::size_t i = 1; i < whole.size(); ++i) {
      std::vector<std::string> parts(whole.begin() + 1, whole.end());  // without the begin mark
      const bool after_space = parts[i - 1].starts_with(space_shown) || whole[i - 1] == space_shown;
      parts[i - 1] = after_space ? " <mask>" : "<mask>";
      std::vector<std::string> masked = whole;
      masked[i] = "<mask>";
      EXPECT_EQ(tokens(kind, line_of(parts)), masked) << kind << ": " << line_of(parts);
    }
  }
}

TEST_F(Fill, says_what_is_wrong_with_a_line) {
  train("a");
  EXPECT_THAT(complaint({"fill", "a"}, "a <mask>\nnothing\n"),
              HasSubstr("standard input:2: there is no <mask> in the line"));
  EXPECT_FALSE(run({"fill", "a"}, "a <mask>\nnothing\n").output.empty()) << "line 1 is answered";
  EXPECT_THAT(complaint({"fill", "a"}, std::string(40, 'a') + "<mask>\n"),
              HasSubstr("standard input:1: 41 tokens, but the model reads 24 at a time"));
  EXPECT_THAT(complaint({"generate", "a"}), HasSubstr("use `fill a`"));
  EXPECT_THAT(complaint({"evaluate", "a", "--stride", "2"}), HasSubstr("--stride: an encoder"));
}

TEST_F(Fill, models_have_the_same_bits_by_any_threads_and_through_a_resume) {
  train("a", {}, {"--threads", "1"});
  train("b", {"training.steps=20"}, {"--threads", "2"});
  Arguments resumed{"train", "a.yaml", "--run", "b", "--resume", "--threads", "3"};
  set_options(resumed, {"model.family=encoder", "model.max_positions=25",
                        "training.schedule=constant", "training.steps=40"});
  output(resumed);
  expect_same_runs(here / "a", here / "b");
}

TEST_F(Fill, models_work_with_the_commands_about_heads) {
  train("bpe", {"task.mask_words=true", "task.tokenizer=bpe", "task.vocabulary=120"});
  train("byte_bpe", {"task.mask_words=true", "task.tokenizer=byte_bpe", "task.vocabulary=300"});
  train("word_piece", {"task.mask_words=true", "task.tokenizer=word_piece", "task.vocabulary=100",
                       "task.lower_case=true"});
  for (const std::string run : {"bpe", "byte_bpe", "word_piece"}) {
    EXPECT_THAT(output({"heads", run}), HasSubstr("heads have a role"));
    EXPECT_THAT(output({"report", run}), HasSubstr("report.html"));
    EXPECT_THAT(output({"evaluate", run, "--split", "validation"}), HasSubstr("tokens right"));
  }
}

// Unless cut earlier, a line of four characters and an end mark gives two windows of at most four
// tokens. A batch of two tokens holds one window.
TEST_F(Fill, models_are_trained_on_windows_with_a_token_to_mask) {
  std::string lines;
  for (int i = 0; i < 25; ++i) {
    lines += "abcd\nbcda\ncdab\ndabc\n";
  }
  std::ofstream(here / "lines") << lines;
  train("a", {"task.train_text=lines", "task.documents=line", "task.context=4",
              "training.batch_tokens=2", "training.batch_lengths=mixed"});
  const auto metrics =
      nlohmann::json::parse(output({"evaluate", "a", "--split", "validation", "--json"}));
  EXPECT_EQ(metrics["examples"], 10);  // a tenth of 100 lines
}

// The position table has exactly enough rows for a window of 24 tokens with its begin mark.
TEST_F(Fill, reads_a_line_as_long_as_a_window) {
  train("a", {"task.documents=line", "model.positions=learned"});
  const std::string line = "two men are on a bea<mask> no";
  ASSERT_EQ(tokens("a", line).size(), 1U + 24U);
  const std::string filled = output({"fill", "a", "--top", "1"}, line + "\na m<mask>n\n");
  EXPECT_EQ(lines_of(filled).size(), 4U);  // two lines: a candidate and an empty line each
  EXPECT_EQ(tokens("a", "a m<mask>n").size(), 1U + 5U + 1U);  // the end mark fits
}

TEST_F(Fill, reports_unknown_tokens_but_no_masks) {
  train("a");
  const auto errors = [&](const std::string& input) { return run({"fill", "a"}, input).errors; };
  EXPECT_EQ(errors("a m<mask>n\n"), "");
  EXPECT_EQ(errors("a m<mask>n\na 7<mask>n\n"),
            "warning: standard input: 1 of 8 tokens is unknown to its vocabulary, on 1 line; the "
            "first is `7`, on line 2\n");
}

}}  // namespace tapehead
