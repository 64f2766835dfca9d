// tapehead translate: from lines to lines, typed, piped, and between files.
#include <nlohmann/json.hpp>

#include "tests/support/corpus_training.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

class Translate : public SharedRuns<Translate> {
 public:
  // Learned positions; the table ends after 11 symbols and the end mark.
  static void prepare() {
    here->output(
        tiny_training("a", {"training.steps=150", "training.learning_rate=1e-2",
                            "task.max_length=6", "model.dropout=0", "model.positions=learned",
                            "model.max_positions=12", "evaluation.every=150"}));
  }

 protected:
  static ProgramResult translate(const Arguments& options, const std::string& input) {
    return here->run(Arguments{"translate", "a"} + options, input);
  }
  static std::string translated(const std::string& input, const Arguments& options = {}) {
    const ProgramResult result = translate(options, input);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.errors, IsEmpty());
    return result.output;
  }
};

// Lines of various lengths, unsorted.
const std::string some_lines =
    "3\n10 2 7 5 1 6\n\n8 8\n0 1 2\n9 4 3 2 1\n5\n7 7 7 7\n6 0 10\n\n2 3\n";

TEST_F(Translate, each_line_has_its_translation_in_its_place) {
  const std::vector<std::string> inputs = lines_of(some_lines);
  const std::vector<std::string> outputs = lines_of(translated(some_lines));
  ASSERT_THAT(outputs, SizeIs(inputs.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(translated(inputs[i] + "\n"), outputs[i] + "\n");
  }
}

TEST_F(Translate, has_learnt_something) {
  EXPECT_EQ(translated("3\n"), "3\n");
  EXPECT_EQ(translated("8 5\n"), "8 5\n");
}

TEST_F(Translate, an_empty_line_gives_an_empty_line) {
  EXPECT_EQ(translated("\n"), "\n");
  EXPECT_EQ(translated("\n\n"), "\n\n");
  EXPECT_EQ(translated("  \n"), "\n");
  EXPECT_EQ(translated(""), "");
}

TEST_F(Translate, line_ends_of_all_kinds) {
  const std::string both = translated("3\n4\n");
  EXPECT_EQ(translated("3\r\n4\r\n"), both);
  EXPECT_EQ(translated("3\n4"), both);
}

TEST_F(Translate, unknown_words_and_broken_text_are_translated_somehow) {
  const ProgramResult unknown = translate({}, "3 what 4\n");
  EXPECT_THAT(lines_of(unknown.output), SizeIs(1));
  EXPECT_EQ(unknown.errors,
            "warning: standard input: 1 of 3 tokens is unknown to its vocabulary, on 1 line; the "
            "first is `what`, on line 1\n");
  const ProgramResult broken = translate({}, "3 1\n3 \xff\xfe 4\n");
  EXPECT_EQ(broken.exit_code, 0);
  EXPECT_THAT(lines_of(broken.output), SizeIs(2));
  EXPECT_THAT(broken.errors,
              StartsWith("warning: standard input:2: byte 3 (0xFF) is not valid UTF-8"));
}

TEST_F(Translate, a_line_too_long_is_translated_as_far_as_the_limit) {
  const std::string longest = "1 2 3 4 5 6 7 8 9 10 0";  // 11 symbols
  const ProgramResult result = translate({}, "3\n" + longest + " 1 2\n" + longest + "\n");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.errors,
            "warning: standard input:2: 13 tokens; only the first 11 are translated\n");
  const std::vector<std::string> outputs = lines_of(result.output);
  ASSERT_THAT(outputs, SizeIs(3));
  EXPECT_EQ(outputs[1], outputs[2]);
}

TEST_F(Translate, lines_are_counted_over_the_whole_input) {
  std::string input;
  for (int i = 0; i < 1500; ++i) {  // more lines than are read at once
    input += "3\n";
  }
  const ProgramResult result = translate({}, input + "1 2 3 4 5 6 7 8 9 10 0 1\n");
  EXPECT_THAT(lines_of(result.output), SizeIs(1501));
  EXPECT_THAT(result.errors, HasSubstr("standard input:1501: 12 tokens"));
}

TEST_F(Translate, several_translations_of_each_line) {
  const std::vector<std::string> outputs =
      lines_of(translated("3 4\n\n5\n", {"--beam", "4", "--n-best", "2"}));
  ASSERT_THAT(outputs, SizeIs(5));
  std::vector<std::string> numbers;
  std::vector<double> scores;
  for (const std::string& line : outputs) {
    ASSERT_THAT(line, MatchesRegex("[0-9]+ [|]{3} .* [|]{3} -?[0-9]+[.][0-9]{4}"));
    numbers.push_back(line.substr(0, line.find(' ')));
    scores.push_back(std::stod(line.substr(line.rfind(' '))));
  }
  EXPECT_EQ(numbers, (std::vector<std::string>{"0", "0", "1", "2", "2"}));
  EXPECT_GE(scores[0], scores[1]);
  EXPECT_GE(scores[3], scores[4]);
  EXPECT_LE(scores[0], 0);
  const std::string best = outputs[0].substr(6, outputs[0].find(" ||| ", 6) - 6);
  EXPECT_EQ(translated("3 4\n", {"--beam", "4"}), best + "\n");
}

TEST_F(Translate, json_has_each_line_with_its_translations_and_their_scores) {
  const std::vector<std::string> texts = lines_of(translated("3 4\n\n", {"--json"}));
  ASSERT_THAT(texts, SizeIs(2));
  const auto greedy = nlohmann::json::parse(texts[0]);
  EXPECT_EQ(greedy["source"], "3 4");
  ASSERT_THAT(greedy["translations"], SizeIs(1));
  EXPECT_EQ(greedy["translations"][0]["text"].get<std::string>() + "\n", translated("3 4\n"));
  EXPECT_LT(greedy["translations"][0]["score"], 0);
  EXPECT_EQ(nlohmann::json::parse(texts[1])["translations"][0]["text"], "");
  const auto beam =
      nlohmann::json::parse(translated("3 4\n", {"--json", "--beam", "4", "--n-best", "2"}));
  ASSERT_THAT(beam["translations"], SizeIs(2));
  EXPECT_GE(beam["translations"][0]["score"], beam["translations"][1]["score"]);
  const auto broken = nlohmann::json::parse(translate({"--json"}, "3 \xff\n").output);
  EXPECT_EQ(broken["source"], "3 \uFFFD");
}

// Each target repeats a word, eight times per source word. Outputs may have only six tokens more
// than the source.
TEST(LongTranslations, are_cut_and_every_command_says_so) {
  const ProgramDirectory here;
  std::string targets;
  for (const std::string& line : lines_of(corpus_lines())) {
    for (std::ptrdiff_t more = std::ranges::count(line, ' ') + 8; more > 0; --more) {
      targets += "ab ";
    }
    targets += "ab\n";
  }
  for (const std::string split : {"train", "validation", "test"}) {
    write_text(here / "c" / (split + ".en"), corpus_lines());
    write_text(here / "c" / (split + ".de"), targets);
  }
  write_text(here / "c.yaml", corpus_config("c", "word"));
  const std::string longer =
      " split: 60 of 60 references are longer than any output can be: "
      "evaluation.max_extra_length allows 5 tokens more than the source has; 7 would be enough\n";
  const ProgramResult trained = here.run({"train", "c.yaml", "--run", "a"});
  EXPECT_THAT(trained.errors, AllOf(HasSubstr("warning: validation" + longer),
                                    HasSubstr("warning: test" + longer)));
  EXPECT_THAT(here.run({"evaluate", "a"}).errors, EndsWith("warning: test" + longer));
  const ProgramResult translated = here.run({"translate", "a", "--input", "c/test.en"});
  EXPECT_THAT(lines_of(translated.output), SizeIs(60));
  EXPECT_THAT(translated.errors,
              HasSubstr("warning: c/test.en: 60 of 60 translations were cut because they had not "
                        "ended: the most is 5 tokens more than the source has"));
}

TEST_F(Translate, more_translations_than_the_beam_holds_are_refused) {
  const ProgramResult result = translate({"--beam", "2", "--n-best", "3"}, "3\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("--n-best 3"), HasSubstr("--beam")));
}

TEST_F(Translate, threads_and_batches_change_nothing) {
  const std::string expected = translated(some_lines);
  for (const Arguments& options :
       {Arguments{"--threads", "1"}, Arguments{"--threads", "2"}, Arguments{"--batch-tokens", "1"},
        Arguments{"--batch-tokens", "7"}, Arguments{"--batch-tokens", "100000"}}) {
    EXPECT_EQ(translated(some_lines, options), expected) << PrintToString(options);
  }
  const std::string beam = translated(some_lines, {"--beam", "3"});
  EXPECT_EQ(translated(some_lines, {"--beam", "3", "--batch-tokens", "5", "--threads", "3"}), beam);
}

TEST_F(Translate, from_file_to_file) {
  std::ofstream(*here / "in.txt") << some_lines;
  EXPECT_EQ(translated("", {"--input", "in.txt", "--output", "out.txt"}), "");
  EXPECT_EQ(content_of(*here / "out.txt"), translated(some_lines));
}

TEST_F(Translate, what_fails_costs_no_earlier_file) {
  std::ofstream(*here / "kept.txt") << "kept\n";
  const std::vector<Arguments> wrong{
      {"translate", "nowhere", "--output", "kept.txt"},
      {"translate", "a", "--output", "kept.txt", "--input", "nowhere.txt"},
      {"translate", "a", "--output", "kept.txt", "--input", "kept.txt"},
      {"translate", "a", "--output", "kept.txt", "--checkpoint", "average"},
      {"translate", "a", "--output", "kept.txt", "--n-best", "9"}};
  for (const Arguments& arguments : wrong) {
    const ProgramResult result = here->run(arguments);
    EXPECT_NE(result.exit_code, 0) << PrintToString(arguments);
    EXPECT_THAT(result.errors, HasSubstr("error: "));
    EXPECT_EQ(content_of(*here / "kept.txt"), "kept\n");
  }
}

TEST_F(Translate, an_output_that_cannot_be_written_is_an_error) {
  const ProgramResult result = translate({"--output", "/dev/full"}, "3\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("No space left on device"));
}

// Whichever call gets no descriptor, the output is in the file or the program fails.
TEST_F(Translate, writes_its_file_or_fails_however_few_files_it_may_open) {
  std::ofstream(*here / "in.txt") << some_lines;
  const std::string expected = translated(some_lines);
  int failed = 0;
  for (int most = 3; most < 12; ++most) {
    std::filesystem::remove(*here / "few.txt");
    const ProgramResult result = run_shell(
        fmt::format("ulimit -n {}; exec \"$TAPEHEAD\" translate a --input in.txt --output few.txt",
                    most),
        here->path());
    EXPECT_EQ(result.output, "") << most;
    failed += result.exit_code == 0 ? 0 : 1;
    EXPECT_TRUE(result.exit_code != 0 || content_of(*here / "few.txt") == expected) << most;
  }
  EXPECT_GT(failed, 0);
  EXPECT_LT(failed, 9);
}

TEST_F(Translate, answers_when_the_input_pauses) {
  const std::vector<std::string> expected = lines_of(translated("3\n4 5\n"));
  Program program({"translate", "a"}, here->path());
  program.write("3\n");
  EXPECT_TRUE(wait_until([&] { return program.output() == expected[0] + "\n"; }));
  program.write("4 ");
  program.write("5\n");
  const std::string both = expected[0] + "\n" + expected[1] + "\n";
  EXPECT_TRUE(wait_until([&] { return program.output() == both; }));
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, both);
}

}}  // namespace tapehead
