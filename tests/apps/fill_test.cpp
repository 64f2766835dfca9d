// Masked language models: training from text, bit-identical for any threads and after a resume, and
// use by `fill`.
#include "datasets/tokenizers/tokenizer.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/text_training.hpp"

namespace tapehead { namespace {

const Arguments masked_model{"model.family=encoder", "model.max_positions=25",
                             "training.schedule=constant"};

class Fill : public ProgramRuns {
 protected:
  void train(const std::string& run, const Arguments& overrides = {},
             const Arguments& options = {}) {
    output(text_training(here, run, masked_model + overrides, options));
  }

  // The tokens that a run reads for a line, as vocabulary entries.
  std::vector<std::string> tokens(const std::string& run, const std::string& line) {
    return json_of({"attention", run, line, "--json"})["source_tokens"];
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

TEST_F(Fill, gives_the_likely_tokens_of_each_mask_and_says_what_is_wrong_with_a_line) {
  train("a");
  const auto filled = json_of("fill a --json --top 3", "a m<mask>n on <mask>\n");
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
  EXPECT_THAT(lines_of(output("fill a --top 2 --mask _", "a m_n\n")), ElementsAre(_, _, ""));
  const ProgramResult wrong = run("fill a", "a <mask>\nnothing\n");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.errors, HasSubstr("standard input:2: there is no <mask> in the line"));
  EXPECT_NE(wrong.output, "") << "line 1 is answered";
  EXPECT_EQ(run("fill a", "a m<mask>n\n").errors, "") << "a mask is not unknown";
  EXPECT_EQ(run("fill a", "a m<mask>n\na 7<mask>n\n").errors,
            "warning: standard input: 1 of 8 tokens is not in the vocabulary, on 1 line; the "
            "first is `7`, on line 2\n");
}

// Replacing a token by a mask does not change the other tokens. A mask absorbs the space before it,
// so after a space token it gets another space.
TEST_F(Fill, reads_the_tokens_around_a_mask_as_without_it) {
  for (const auto& [kind, entries] :
       {std::pair("bpe", "70"), {"unigram", "70"}, {"byte_bpe", "300"}}) {
    train(kind, {"task.tokenizer=" + std::string(kind), "task.vocabulary=" + std::string(entries)});
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

TEST_F(Fill, models_have_the_same_bits_by_any_threads_and_through_a_resume) {
  train("one", {}, {"--threads", "1"});
  train("two", {"training.steps=20"}, {"--threads", "2"});
  Arguments resumed{"train", "a.yaml", "--run", "two", "--resume", "--threads", "3"};
  set_options(resumed, masked_model + Arguments{"training.steps=40"});
  output(resumed);
  expect_same_runs(here / "one", here / "two");
}

TEST_F(Fill, models_work_with_the_commands_about_heads) {
  for (const auto& [kind, entries] :
       {std::pair("bpe", "120"), {"byte_bpe", "300"}, {"word_piece", "100"}}) {
    const std::string run = kind;
    train(run, {"task.tokenizer=" + run, "task.vocabulary=" + std::string(entries),
                "task.mask_words=true",
                run == "word_piece" ? "task.lower_case=true" : "task.lower_case=false"});
    EXPECT_THAT(output("heads " + run), HasSubstr("heads have a role"));
    EXPECT_THAT(output("report " + run), HasSubstr("report.html"));
    EXPECT_THAT(output("evaluate " + run + " --split validation"), HasSubstr("tokens right"));
  }
}

// Unless cut earlier, a line of four characters and an end mark gives two windows of at most four
// tokens. A batch of two tokens holds one window.
TEST_F(Fill, models_are_trained_on_windows_with_a_token_to_mask) {
  std::string lines;
  for (int i = 0; i < 25; ++i) {
    lines += "abcd\nbcda\ncdab\ndabc\n";
  }
  write("lines", lines);
  train("cut", {"task.train_text=lines", "task.documents=line", "task.context=4",
                "training.batch_tokens=2", "training.batch_lengths=mixed"});
  const auto metrics = json_of("evaluate cut --split validation --json");
  EXPECT_EQ(metrics["examples"], 10);  // a tenth of 100 lines
}

// The position table has exactly enough rows for a window of 24 tokens with its begin mark.
TEST_F(Fill, reads_a_line_as_long_as_a_window) {
  train("long", {"task.documents=line", "model.positions=learned"});
  const std::string line = "two men are on a bea<mask> no";
  EXPECT_THAT(tokens("long", line), SizeIs(1 + 24));
  EXPECT_THAT(tokens("long", "a m<mask>n"), SizeIs(1 + 5 + 1));  // the end mark fits
  EXPECT_THAT(lines_of(output("fill long --top 1", line + "\na m<mask>n\n")),
              ElementsAre(_, "", _, ""));  // an empty line after the candidates of each
}

}}  // namespace tapehead
