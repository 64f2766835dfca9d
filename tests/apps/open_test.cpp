// tapehead open answers command lines, one after the other, as the commands do in processes of
// their own.
#include "tests/support/program_runs.hpp"
#include "tests/support/text_training.hpp"

namespace tapehead { namespace {

struct Asked {
  Arguments arguments;
  std::string input = "";
};

class Open : public SharedRuns<Open> {
 public:
  static void prepare() {
    here->output(tiny_training("a"));
    here->output(tiny_training("b", {"seed=2"}));
    here->output(text_training(*here, "letters"));
    here->write("sources", "3 1 4\n");
  }

 protected:
  static nlohmann::json line(const Asked& asked) {
    return {{"arguments", asked.arguments}, {"input", asked.input}};
  }
  static std::vector<nlohmann::json> answers(const std::string& requests) {
    return mapped(lines_of(here->output("open a", requests)),
                  [](const std::string& answer) { return nlohmann::json::parse(answer); });
  }
};

TEST_F(Open, says_what_each_command_says_by_itself) {
  const std::vector<Asked> asked{
      {{"translate", "a"}, "3 1 4\n1 5\n"},
      {{"translate", "a", "--beam", "3", "--json"}, "3 1 4\n"},
      {{"translate", "a", "--precision", "bfloat16", "--json"}, "3 1 4\n"},
      {{"attention", "a", "3 1 4", "--json"}},
      {{"attention", "a", "3 1 4", "--without", "decoder.layers.0.cross.0"}},
      {{"translate", "a", "--json"}, "3 1 4\n"},
      {{"translate", "a", "b"}, "2 7\n"},
      {{"score", "a", "--source", "sources", "--target", "/dev/stdin", "--json"}, "4 1 3\n"},
      {{"tokenize", "a", "--json"}, "3 x\n"},
      {{"generate", "letters", "--prompt", "a", "--max-tokens", "5"}},
      {{"translate", "letters"}, "3\n"},
      {{"translate", "a", "--beam", "0"}},
      {{"translate", "none"}},
      {{"translate", "a", "--input="}, "3\n"},
  };
  std::string requests;
  for (const Asked& one : asked) {
    requests += line(one).dump() + '\n';
  }
  const std::vector<nlohmann::json> given = answers(requests);
  ASSERT_EQ(given.size(), asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    SCOPED_TRACE(PrintToString(asked[i].arguments));
    const ProgramResult alone = here->run(asked[i].arguments, asked[i].input);
    EXPECT_EQ(given[i]["exit_code"], alone.exit_code);
    EXPECT_EQ(given[i]["output"], alone.output);
    EXPECT_EQ(given[i]["errors"], alone.errors);
  }
}

TEST_F(Open, goes_on_after_what_is_no_request) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"translate", "the request"},
      {"[]", "the request"},
      {"{}", "arguments"},
      {R"({"arguments": []})", "must be one of attention, classify, fill"},
      {R"({"arguments": ["train", "copy.yaml"]})", "must be one of attention, classify, fill"},
      {R"({"arguments": ["translate", "a"], "input": 3})", "input"},
      {R"({"arguments": ["translate", "a"], "texts": ["3"]})", "texts"},
  };
  std::string requests;
  for (const auto& [request, says] : wrong) {
    requests += request + '\n';
  }
  const std::vector<nlohmann::json> given =
      answers(requests + line({{"translate", "a"}, "3 1 4\n"}).dump() + '\n');
  ASSERT_EQ(given.size(), wrong.size() + 1);
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    EXPECT_EQ(given[i]["exit_code"], 2) << wrong[i].first;
    EXPECT_THAT(given[i]["errors"].get<std::string>(),
                AllOf(StartsWith("error: the request"), HasSubstr(wrong[i].second)));
  }
  EXPECT_EQ(given.back()["output"], here->output("translate a", "3 1 4\n"));
}

TEST_F(Open, says_at_once_what_it_cannot_open) {
  here->expect_refusals({{"open none", 1, {"none"}}, {"open a --checkpoint none", 1, {"none"}}});
  EXPECT_EQ(here->output("open a"), "");
}

}}  // namespace tapehead
