// Text enters in many places and forms; the same bytes must give the same tokens everywhere.
#include <zlib.h>

#include "tests/support/corpus_scores.hpp"
#include "tests/support/corpus_training.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/text_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

using namespace std::string_literals;

std::string plain(const std::string& text) { return text; }
std::string marked(const std::string& text) { return "\xEF\xBB\xBF" + text; }
std::string without_last_end(const std::string& text) { return text.substr(0, text.size() - 1); }
std::string with_carriage_returns(const std::string& whole) {
  std::string text;
  for (const char c : whole) {
    text += c == '\n' ? "\r\n" : std::string(1, c);
  }
  return text;
}
std::string packed(const std::string& text) {
  const TemporaryDirectory here;
  gzFile file = gzopen((here / "packed").c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return content_of(here / "packed");
}
std::string all_together(const std::string& text) {
  return packed(marked(with_carriage_returns(without_last_end(text))));
}

using Form = std::string (*)(const std::string&);
using NamedForm = std::pair<const char*, Form>;

// Held-out text with every kind of line: empty, only spaces, with a NUL, with unknown words, with
// superfluous spaces.
const std::string odd_lines = "ab cd\n\nef\n   \nab\0cd ef\ngh qq ij\n  ij  gh \n\t\ncd cd cd\n"s;

class TextEntrances : public SharedRuns<TextEntrances>, public WithParamInterface<NamedForm> {
 public:
  static void prepare() {
    write_data("data", plain);
    here->write("text.yaml", corpus_config("data", "word", 60));
    here->output("train text.yaml --run r");
  }

 protected:
  static void write_data(const std::string& directory, Form form) {
    for (const std::string side : {".en", ".de"}) {
      write_text(*here / directory / ("train" + side), form(corpus_lines() + "\n  \n"));
      write_text(*here / directory / ("validation" + side), form(odd_lines));
      write_text(*here / directory / ("test" + side), form(odd_lines));
    }
  }
  // evaluate's figures without timings.
  static nlohmann::json evaluated(const std::string& options = "") {
    auto json = here->json_of("evaluate r --json" + options);
    json.erase("seconds");
    return json;
  }
};

INSTANTIATE_TEST_SUITE_P(Forms, TextEntrances,
                         Values(NamedForm{"byte_order_mark", marked},
                                NamedForm{"no_last_line_end", without_last_end},
                                NamedForm{"carriage_returns", with_carriage_returns},
                                NamedForm{"gzip", packed}, NamedForm{"all_together", all_together}),
                         [](const auto& form) { return std::string(form.param.first); });

TEST_P(TextEntrances, are_all_read_alike) {
  const auto [named, form] = GetParam();
  const std::string name = named;
  write_data(name, form);

  const std::string translated = here->output("translate r --input data/test.en");
  EXPECT_EQ(here->output("translate r --input " + name + "/test.en"), translated);
  EXPECT_EQ(here->output("translate r", form(odd_lines)), translated);

  // The checkpoint holds the data's fingerprint, so other tokens or texts would be rejected.
  const std::string data = " --data " + name;
  const std::string heads = "heads r --json --split test";
  EXPECT_EQ(evaluated(data), evaluated());
  EXPECT_EQ(here->output(heads + data), here->output(heads));
  EXPECT_THAT(here->messages("train text.yaml --run r --resume" + data),
              HasSubstr("resuming r at step 60"));

  here->write("other.yaml", corpus_config(name, "word", 60));
  here->output("train other.yaml --run r_" + name);
  expect_same_runs(*here / "r", *here / ("r_" + name));
}

// The figures of sacreBLEU equal corpus_bleu() and corpus_chrf(), as its fixtures show.
TEST_F(TextEntrances, what_is_evaluated_is_what_is_translated_and_unknown_words_are_told) {
  const std::vector<std::string> outputs =
      lines_of(here->output("translate r --input data/test.en"));
  const std::vector<std::string> references = lines_of(odd_lines);
  ASSERT_EQ(outputs.size(), references.size());
  EXPECT_EQ(outputs[1], "");
  const auto evaluation = evaluated();
  EXPECT_EQ(evaluation["bleu"], corpus_bleu(outputs, references).score);
  EXPECT_EQ(evaluation["chrf"], corpus_chrf(outputs, references));
  EXPECT_EQ(evaluation["examples"], references.size());
  // The two unknown words are "ab\0cd" and "qq".
  const std::string told = "2 of 13 tokens are not in the vocabulary, on 2 lines; the first is";
  EXPECT_THAT(here->messages("translate r --input data/test.en"),
              HasSubstr("data/test.en: " + told));
  EXPECT_THAT(here->messages("translate r", "ab\nab qq\n"),
              HasSubstr("standard input: 1 of 3 tokens is not in the vocabulary, on 1 line; "
                        "the first is `qq`, on line 2"));
  for (const std::string command : {"evaluate r", "heads r --split test"}) {
    EXPECT_THAT(here->messages(command), AllOf(HasSubstr("test split, source side: " + told),
                                               HasSubstr("test split, target side: " + told)));
  }
  EXPECT_THAT(here->output("evaluate r"),
              HasSubstr("test: 2 of 22 target tokens are unknown, and count as right if"));
}

TEST_F(TextEntrances, a_line_in_is_a_line_out_whatever_it_holds) {
  const std::string output = here->output("translate r", "a\0b\nc\n"s);
  EXPECT_EQ(std::ranges::count(output, '\n'), 2);
  here->write("nul.yaml", corpus_config("nul", "character", 60));
  write_corpus(*here / "nul", "\0a\n\0a\n"s, "\0a\n\0a\n"s);  // every output contains a NUL
  here->output("train nul.yaml --run nul_run");
  EXPECT_EQ(here->output("translate nul_run", "\0a\n"s), "\0a\n"s);
}

// A command that reads lines, a run for it, and a line that it can read.
struct LineCommand {
  std::string name;
  Arguments (*training)(const TemporaryDirectory& here);
  std::string command;  // in a shell, where $IN is the file of lines
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
    {"over_its_lines", as_file, " --output $IN", 1, "lines.txt, which is read"},
    {"cut_gzip", cut_in_the_middle, "", 1, "lines.txt"}};

class LineCommands : public ProgramRuns, public WithParamInterface<LineCommand> {
 protected:
  void SetUp() override { here.output(GetParam().training(here)); }
  ProgramResult ask(const std::string& redirection = "") const {
    const std::string command = "\"$TAPEHEAD\" " + GetParam().command + redirection;
    return run_shell("IN=lines.txt; " + command, here.path());
  }
};

INSTANTIATE_TEST_SUITE_P(
    All, LineCommands,
    Values(LineCommand{"translate", copy_training, "translate r --input $IN", "1 2 3"},
           LineCommand{"score_pairs", copy_training, "score r --source $IN --target $IN", "1 2 3"},
           LineCommand{"score_lines", causal_training, "score r --input $IN", "a b"},
           LineCommand{"generate", causal_training, "generate r --max-tokens 3 --prompts $IN",
                       "a b"},
           LineCommand{"fill", masked_training, "fill r --input $IN", "a <mask>"},
           LineCommand{"classify", labels_training, "classify r --input $IN", "warm"}),
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
