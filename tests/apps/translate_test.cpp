// tapehead translate: from lines to lines, typed, piped, and between files.
#include "tests/support/corpus_training.hpp"
#include "tests/support/program_runs.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

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
  static ProgramResult translate(const std::string& input, const std::string& options = "") {
    ProgramResult result = here->run("translate a " + options, input);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result;
  }
  static std::string translated(const std::string& input, const std::string& options = "") {
    const ProgramResult result = translate(input, options);
    EXPECT_THAT(result.errors, IsEmpty());
    return result.output;
  }
};

// Lines of various lengths, unsorted.
const std::string some_lines =
    "3\n10 2 7 5 1 6\n\n8 8\n0 1 2\n9 4 3 2 1\n5\n7 7 7 7\n6 0 10\n\n2 3\n";

TEST_F(Translate, by_products_in_bfloat16_gives_nearly_the_same_scores) {
  const auto scored = [](const std::string& options) {
    // Where the CPU multiplies no bfloat16, a warning says so.
    return nlohmann::json::parse(translate("9 4 3 2 1\n", "--json" + options).output)
        .at("translations")[0];
  };
  const auto exact = scored("");
  const auto rounded = scored(" --precision bfloat16");
  EXPECT_EQ(rounded["text"], exact["text"]);
  EXPECT_NE(rounded["score"], exact["score"]);
  EXPECT_NEAR(rounded["score"].get<double>(), exact["score"].get<double>(), 0.02);
}

TEST_F(Translate, each_line_has_its_translation_by_any_threads_batches_and_files) {
  const std::string expected = translated(some_lines);
  const std::vector<std::string> inputs = lines_of(some_lines);
  const std::vector<std::string> outputs = lines_of(expected);
  ASSERT_THAT(outputs, SizeIs(inputs.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(translated(inputs[i] + "\n"), outputs[i] + "\n");
  }
  for (const std::string options : {"--threads 1", "--threads 2", "--batch-tokens 1",
                                    "--batch-tokens 7", "--batch-tokens 100000"}) {
    EXPECT_EQ(translated(some_lines, options), expected) << options;
  }
  EXPECT_EQ(translated(some_lines, "--beam 3 --batch-tokens 5 --threads 3"),
            translated(some_lines, "--beam 3"));
  here->write("in.txt", some_lines);
  EXPECT_EQ(translated("", "--input in.txt --output out.txt"), "");
  EXPECT_EQ(content_of(*here / "out.txt"), expected);
}

TEST_F(Translate, has_learnt_something_and_reads_lines_of_all_kinds) {
  for (const auto& [input, output] : {std::pair("3\n", "3\n"),
                                      {"8 5\n", "8 5\n"},
                                      {"3\n8 5\n", "3\n8 5\n"},
                                      {"3\r\n8 5\r\n", "3\n8 5\n"},
                                      {"3\n8 5", "3\n8 5\n"},
                                      {"\n", "\n"},
                                      {"\n\n", "\n\n"},
                                      {"  \n", "\n"},
                                      {"", ""}}) {
    EXPECT_EQ(translated(input), output) << input;
  }
}

TEST_F(Translate, what_a_line_holds_too_much_is_said_and_the_rest_is_translated) {
  const std::string longest = "1 2 3 4 5 6 7 8 9 10 0";  // 11 symbols
  std::string many;
  for (int i = 0; i < 1500; ++i) {  // more lines than are read at once
    many += "3\n";
  }
  struct Case {
    std::string input;
    std::size_t lines;
    Matcher<std::string> warning;
  };
  for (const auto& [input, lines, warning] : std::vector<Case>{
           {"3 what 4\n", 1,
            Eq("warning: standard input: 1 of 3 tokens is not in the vocabulary, on 1 line; "
               "the first is `what`, on line 1\n")},
           {"3 1\n3 \xff\xfe 4\n", 2,
            StartsWith("warning: standard input:2: byte 3 (0xFF) is not valid UTF-8")},
           {"3\n" + longest + " 1 2\n" + longest + "\n", 3,
            Eq("warning: standard input:2: 13 tokens; only the first 11 are translated\n")},
           {many + longest + " 1\n", 1501, HasSubstr("standard input:1501: 12 tokens")}}) {
    const ProgramResult result = translate(input);
    EXPECT_THAT(lines_of(result.output), SizeIs(lines));
    EXPECT_THAT(result.errors, warning);
  }
  const auto outputs = lines_of(translate(longest + " 1 2\n" + longest + "\n").output);
  EXPECT_EQ(outputs.at(0), outputs.at(1));
}

TEST_F(Translate, several_translations_of_each_line) {
  const std::vector<std::string> outputs =
      lines_of(translated("3 4\n\n5\n", "--beam 4 --n-best 2"));
  ASSERT_THAT(outputs, SizeIs(5));
  std::string numbers;
  std::vector<double> scores;
  for (const std::string& line : outputs) {
    ASSERT_THAT(line, MatchesRegex("[0-9]+ [|]{3} .* [|]{3} -?[0-9]+[.][0-9]{4}"));
    numbers += line.substr(0, line.find(' '));
    scores.push_back(std::stod(line.substr(line.rfind(' '))));
  }
  EXPECT_EQ(numbers, "00122");
  EXPECT_GE(scores[0], scores[1]);
  EXPECT_GE(scores[3], scores[4]);
  EXPECT_LE(scores[0], 0);
  const std::string best = outputs[0].substr(6, outputs[0].find(" ||| ", 6) - 6);
  EXPECT_EQ(translated("3 4\n", "--beam 4"), best + "\n");
}

TEST_F(Translate, json_has_each_line_with_its_translations_and_their_scores) {
  const auto json_of = [](const std::string& input, const std::string& options = "") {
    return nlohmann::json::parse(translate(input, "--json " + options).output);
  };
  const std::vector<std::string> texts = lines_of(translated("3 4\n\n", "--json"));
  ASSERT_THAT(texts, SizeIs(2));
  const auto greedy = nlohmann::json::parse(texts[0]);
  EXPECT_EQ(greedy["source"], "3 4");
  ASSERT_THAT(greedy["translations"], SizeIs(1));
  EXPECT_EQ(greedy["translations"][0]["text"].get<std::string>() + "\n", translated("3 4\n"));
  EXPECT_LT(greedy["translations"][0]["score"], 0);
  EXPECT_EQ(nlohmann::json::parse(texts[1])["translations"][0]["text"], "");
  const auto beam = json_of("3 4\n", "--beam 4 --n-best 2");
  ASSERT_THAT(beam["translations"], SizeIs(2));
  EXPECT_GE(beam["translations"][0]["score"], beam["translations"][1]["score"]);
  EXPECT_EQ(json_of("3 \xff\n")["source"], "3 \uFFFD");
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
  write_corpus(here / "c", corpus_lines(), targets);
  here.write("c.yaml", corpus_config("c", "word"));
  const std::string longer =
      " split: 60 of 60 references are longer than any output can be: "
      "evaluation.max_extra_length allows 5 tokens more than the source has; 7 would be enough\n";
  EXPECT_THAT(
      here.run("train c.yaml --run a").errors,
      AllOf(HasSubstr("warning: validation" + longer), HasSubstr("warning: test" + longer)));
  EXPECT_THAT(here.run("evaluate a").errors, EndsWith("warning: test" + longer));
  const ProgramResult translated = here.run("translate a --input c/test.en");
  EXPECT_THAT(lines_of(translated.output), SizeIs(60));
  EXPECT_THAT(translated.errors,
              HasSubstr("warning: c/test.en: 60 of 60 translations were cut before their end: "
                        "the limit is 5 tokens more than the source has"));
}

TEST_F(Translate, what_fails_costs_no_earlier_file) {
  here->write("kept.txt", "kept\n");
  for (const std::string arguments : {"nowhere", "a --input nowhere.txt", "a --input kept.txt",
                                      "a --checkpoint average", "a --n-best 9"}) {
    EXPECT_THAT(here->complaint("translate --output kept.txt " + arguments, "3\n"),
                HasSubstr("error: "));
    EXPECT_EQ(content_of(*here / "kept.txt"), "kept\n");
  }
  here->expect_refusals({{"translate a --beam 2 --n-best 3", 2, {"--n-best 3", "--beam"}, "3\n"}});
}

// Whichever call gets no descriptor, the output is in the file or the program fails.
TEST_F(Translate, writes_its_file_or_fails_however_few_files_it_may_open) {
  here->write("in.txt", some_lines);
  const std::string expected = translated(some_lines);
  int failed = 0;
  for (int most = 3; most < 12; ++most) {
    fs::remove(*here / "few.txt");
    const ProgramResult result = run_shell(
        fmt::format("ulimit -n {}; exec \"$TAPEHEAD\" translate a --input in.txt --output few.txt",
                    most),
        here->path());
    EXPECT_EQ(result.output, "") << most;
    failed += result.exit_code == 0 ? 0 : 1;
    EXPECT_TRUE(result.exit_code != 0 || content_of(*here / "few.txt") == expected) << most;
  }
  EXPECT_THAT(failed, AllOf(Gt(0), Lt(9)));
}

TEST_F(Translate, answers_when_the_input_pauses) {
  const std::vector<std::string> expected = lines_of(translated("3\n4 5\n"));
  Program program("translate a", here->path());
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
