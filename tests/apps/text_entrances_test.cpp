// Text enters in many places and forms; the same bytes must give the same tokens everywhere.
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "tests/support/corpus_scores.hpp"
#include "tests/support/corpus_training.hpp"
#include "tests/support/labelled_training.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

using namespace std::string_literals;

using Form = std::string (*)(const std::string&);

std::string plain(const std::string& text) { return text; }
std::string marked(const std::string& text) { return "\xEF\xBB\xBF" + text; }
std::string without_last_end(const std::string& text) { return text.substr(0, text.size() - 1); }
std::string with_carriage_returns(const std::string& whole) {
  std::string text = whole;
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2)) {
    text.insert(at, 1, '\r');
  }
  return text;
}
std::string packed(const std::string& text) {
  const std::string path = TempDir() + fmt::format("packed-{}", ::getpid());
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  std::string bytes = content_of(path);
  fs::remove(path);
  return bytes;
}
std::string all_together(const std::string& text) {
  return packed(marked(with_carriage_returns(without_last_end(text))));
}

struct NamedForm {
  std::string name;
  Form form;
};

// Held-out text with every kind of line: empty, only spaces, with a NUL, with unknown words, with
// superfluous spaces.
const std::string odd_lines = "ab cd\n\nef\n   \nab\0cd ef\ngh qq ij\n  ij  gh \n\t\ncd cd cd\n"s;

class TextEntrances : public SharedRuns<TextEntrances>, public WithParamInterface<NamedForm> {
 public:
  static void prepare() {
    write_data("data", plain);
    write_text(*here / "text.yaml", corpus_config("data", "word", 60));
    succeed({"train", "text.yaml", "--run", "r"});
  }

 protected:
  static void write_data(const std::string& directory, Form form) {
    for (const std::string side : {".en", ".de"}) {
      write_text(*here / directory / ("train" + side), form(corpus_lines() + "\n  \n"));
      write_text(*here / directory / ("validation" + side), form(odd_lines));
      write_text(*here / directory / ("test" + side), form(odd_lines));
    }
  }
  static ProgramResult succeed(const Arguments& arguments, const std::string& input = "") {
    ProgramResult result = here->run(arguments, input);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result;
  }
  // evaluate's figures without timings.
  static nlohmann::json evaluated(const Arguments& options) {
    const Arguments arguments = Arguments{"evaluate", "r", "--json"} + options;
    auto json = nlohmann::json::parse(succeed(arguments).output);
    json.erase("seconds");
    return json;
  }
};

INSTANTIATE_TEST_SUITE_P(Forms, TextEntrances,
                         Values(NamedForm{"byte_order_mark", marked},
                                NamedForm{"no_last_line_end", without_last_end},
                                NamedForm{"carriage_returns", with_carriage_returns},
                                NamedForm{"gzip", packed}, NamedForm{"all_together", all_together}),
                         [](const auto& form) { return form.param.name; });

TEST_P(TextEntrances, are_all_read_alike) {
  write_data(GetParam().name, GetParam().form);
  const std::string bytes = GetParam().form(odd_lines);
  const fs::path file = *here / GetParam().name / "test.en";

  const std::string translated = succeed({"translate", "r", "--input", "data/test.en"}).output;
  EXPECT_EQ(succeed({"translate", "r", "--input", file}).output, translated);
  EXPECT_EQ(succeed({"translate", "r"}, bytes).output, translated);

  // The checkpoint holds the data's fingerprint, so other tokens or texts would be rejected.
  const Arguments data{"--data", GetParam().name};
  EXPECT_EQ(evaluated(data), evaluated({}));
  EXPECT_EQ(succeed({"heads", "r", "--json", "--split", "test", data[0], data[1]}).output,
            succeed({"heads", "r", "--json", "--split", "test"}).output);
  EXPECT_THAT(succeed({"train", "text.yaml", "--run", "r", "--resume", data[0], data[1]}).errors,
              HasSubstr("resuming r at step 60"));

  write_text(*here / "other.yaml", corpus_config(GetParam().name, "word", 60));
  const std::string run = "r_" + GetParam().name;
  succeed({"train", "other.yaml", "--run", run});
  expect_same_runs(*here / "r", *here / run);
}

// The figures of sacreBLEU equal corpus_bleu() and corpus_chrf(), as its fixtures show.
TEST_F(TextEntrances, what_is_evaluated_is_what_is_translated) {
  const std::string output = succeed({"translate", "r", "--input", "data/test.en"}).output;
  const std::vector<std::string> outputs = lines_of(output);
  const std::vector<std::string> references = lines_of(odd_lines);
  ASSERT_EQ(outputs.size(), references.size());
  EXPECT_EQ(outputs[1], "");
  const auto evaluation = evaluated({});
  EXPECT_EQ(evaluation["bleu"], corpus_bleu(outputs, references).score);
  EXPECT_EQ(evaluation["chrf"], corpus_chrf(outputs, references));
  EXPECT_EQ(evaluation["examples"], references.size());
}

TEST_F(TextEntrances, unknown_words_are_told_with_the_first) {
  // The two unknown words are "ab\0cd" and "qq".
  const std::string told = "2 of 13 tokens are unknown to its vocabulary, on 2 lines; the first is";
  EXPECT_THAT(succeed({"translate", "r", "--input", "data/test.en"}).errors,
              HasSubstr("data/test.en: " + told));
  EXPECT_THAT(
      succeed({"translate", "r"}, "ab\nab qq\n").errors,
      HasSubstr("standard input: 1 of 3 tokens is unknown to its vocabulary, on 1 line; the "
                "first is `qq`, on line 2"));
  for (const Arguments& arguments :
       {Arguments{"evaluate", "r"}, Arguments{"heads", "r", "--split", "test"}}) {
    const ProgramResult result = succeed(arguments);
    EXPECT_THAT(result.errors, HasSubstr("test split, source side: " + told));
    EXPECT_THAT(result.errors, HasSubstr("test split, target side: " + told));
  }
  EXPECT_THAT(succeed({"evaluate", "r"}).output,
              HasSubstr("test: 2 of 22 target tokens are unknown, and count as right if"));
}

TEST_F(TextEntrances, a_line_in_is_a_line_out_whatever_it_holds) {
  const std::string output = succeed({"translate", "r"}, std::string("a\0b\nc\n", 6)).output;
  EXPECT_EQ(std::ranges::count(output, '\n'), 2);
  write_text(*here / "nul.yaml", corpus_config("nul", "character", 60));
  for (const std::string split : {"train", "validation", "test"}) {
    for (const std::string side : {".en", ".de"}) {  // every output contains a NUL
      write_text(*here / "nul" / (split + side), std::string("\0a\n\0a\n", 6));
    }
  }
  succeed({"train", "nul.yaml", "--run", "nul_run"});
  EXPECT_EQ(succeed({"translate", "nul_run"}, std::string("\0a\n", 3)).output,
            std::string("\0a\n", 3));
}

// A command that reads lines, a run for it, and a line that it can read.
struct LineCommand {
  std::string name;
  Arguments (*training)(const TemporaryDirectory& here);
  std::string command;  // IN stands for the file of lines
  std::string line;
};

Arguments copy_training(const TemporaryDirectory& /*here*/) { return tiny_training("r"); }
Arguments labels_training(const TemporaryDirectory& here) { return labelled_training(here, "r"); }
Arguments causal_training(const TemporaryDirectory& here) { return text_training(here, "r"); }
Arguments masked_training(const TemporaryDirectory& here) {
  return text_training(here, "r", {"model.family=encoder", "model.max_positions=25"});
}

struct LineFault {
  std::string name;
  Form content;  // form of the readable line
  std::string redirection;
  int exit_code;
  std::string says;
};

std::string with_broken_byte(const std::string& line) { return line + "\n" + line + " \xff\n"; }
std::string cut_in_the_middle(const std::string& line) {
  const std::string whole = packed(line + "\n" + line + " and more\n");
  return whole.substr(0, whole.size() / 2);
}
std::string as_file(const std::string& line) { return line + "\n"; }
std::string empty_file(const std::string& /*line*/) { return ""; }

const std::vector<LineFault> line_faults{
    {"none", as_file, "", 0, ""},
    {"closed", as_file, " >&-", 1, "cannot write the output: Bad file descriptor"},
    {"full", as_file, " >/dev/full", 1, "cannot write the output: No space left on device"},
    {"full_file", as_file, " --output /dev/full", 1, "/dev/full: No space left on device"},
    {"no_utf_8", with_broken_byte, "", 0, "lines.txt:2: byte "},
    {"empty", empty_file, "", 0, ""},
    {"over_its_lines", as_file, " --output IN", 1, "lines.txt, which is read"},
    {"cut_gzip", cut_in_the_middle, "", 1, "lines.txt"}};

class LineCommands : public ProgramRuns, public WithParamInterface<LineCommand> {
 protected:
  void SetUp() override { here.output(GetParam().training(here)); }
  ProgramResult ask(const std::string& redirection = "") const {
    std::string command = "\"$TAPEHEAD\" " + GetParam().command + redirection;
    for (std::size_t at = command.find("IN"); at != std::string::npos; at = command.find("IN")) {
      command.replace(at, 2, "lines.txt");
    }
    return run_shell(command, here.path());
  }
};

INSTANTIATE_TEST_SUITE_P(
    All, LineCommands,
    Values(LineCommand{"translate", copy_training, "translate r --input IN", "1 2 3"},
           LineCommand{"score_pairs", copy_training, "score r --source IN --target IN", "1 2 3"},
           LineCommand{"score_lines", causal_training, "score r --input IN", "a b"},
           LineCommand{"generate", causal_training, "generate r --max-tokens 3 --prompts IN",
                       "a b"},
           LineCommand{"fill", masked_training, "fill r --input IN", "a <mask>"},
           LineCommand{"classify", labels_training, "classify r --input IN", "warm"}),
    [](const auto& test) { return test.param.name; });

TEST_P(LineCommands, say_what_is_wrong_with_their_lines) {
  for (const LineFault& fault : line_faults) {
    SCOPED_TRACE(fault.name);
    write_text(here / "lines.txt", fault.content(GetParam().line));
    const ProgramResult result = ask(fault.redirection);
    EXPECT_EQ(result.exit_code, fault.exit_code) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(fault.says));
    EXPECT_EQ(result.output.empty(), fault.exit_code != 0 || fault.name == "empty");
  }
  fs::remove(here / "lines.txt");
  const ProgramResult missing = ask();
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.errors, HasSubstr("lines.txt: No such file"));
}

// `score` scores the whole line. Other commands cut what does not fit, with a warning, or reject it
// with its place.
TEST_P(LineCommands, read_a_line_of_ten_megabytes) {
  const bool scored = GetParam().name == "score_lines";
  std::string line = GetParam().line;
  while (std::ssize(line) < (scored ? 100'000 : 10'000'000)) {
    line += " " + line;
  }
  write_text(here / "lines.txt", line + "\n");
  const ProgramResult result = ask();
  EXPECT_THAT(result.errors, HasSubstr(scored ? "1 line, " : "lines.txt:1: "));
  EXPECT_EQ(result.output.empty(), result.exit_code != 0);
}

}}  // namespace tapehead
