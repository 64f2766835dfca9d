// Scores read back as written; a damaged file is rejected.
#include "lab/run_scores.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/program.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead { namespace {

RunScores two_examples() {
  return {
      .split = "test",
      .text = "0123456789abcdef",
      .checkpoint = "best.safetensors",
      .parameters = 12,
      .multiply_adds_per_token = 1.0 / 3,
      .steps = 5,
      .tokens = 600,
      .seconds = 0.7,
      .study = {.further_splits = {"longer"}, .heads = true, .pruning = true},
      .figures = {{"cross.entropy", 0.1}, {"gradient_norm", HUGE_VAL}},
      .examples = {{.negative_log_likelihood = 0.1,
                    .tokens = 3,
                    .correct = 2,
                    .output = "a \"b\"\n",
                    .reference = "Ä",
                    .right = true},
                   {.negative_log_likelihood = 2, .tokens = 1, .output = "", .reference = "c"}}};
}

// Scores as they are stored.
struct StoredScores {
  explicit StoredScores(const RunScores& scores) {
    write_scores(here.path(), scores);
    text = content_of(RunFiles{here.path()}.scores());
  }

  // The file with other text, or with one text in place of its first occurrence.
  void write(const std::string& other) const {
    std::ofstream(RunFiles{here.path()}.scores()) << other;
  }
  void replace(const std::string& what, const std::string& other) {
    ASSERT_THAT(text, HasSubstr(what));
    text.replace(text.find(what), what.size(), other);
    write(text);
  }

  RunScores read() const { return read_scores(here.path()); }
  std::string error() const {
    return message_of<IoError>([&] { static_cast<void>(read()); });
  }

  TemporaryDirectory here;
  std::string text;
};

TEST(RunScores, come_back_to_the_bit_and_with_present_names_for_earlier_ones) {
  const RunScores scores = StoredScores(two_examples()).read();
  EXPECT_EQ(scores.split, "test");
  EXPECT_EQ(scores.text, "0123456789abcdef");
  EXPECT_EQ(scores.parameters, 12);
  EXPECT_EQ(scores.multiply_adds_per_token, 1.0 / 3);
  EXPECT_EQ(scores.tokens, 600);
  EXPECT_EQ(scores.study, two_examples().study);
  EXPECT_EQ(scores.figures.at("cross.entropy"), 0.1);
  EXPECT_FALSE(std::isfinite(scores.figures.at("gradient_norm")));
  ASSERT_EQ(scores.examples.size(), 2U);
  const ExampleScore& first = scores.examples[0];
  const ExampleScore& second = scores.examples[1];
  EXPECT_EQ(first.negative_log_likelihood, 0.1);
  EXPECT_EQ(first.output, "a \"b\"\n");
  EXPECT_EQ(first.reference, "Ä");
  EXPECT_EQ(second.correct, 0);
  EXPECT_TRUE(first.right && !second.right);
  RunScores earlier = two_examples();
  earlier.figures = {{"cross.largest", 0.25},
                     {"encoder_self.self", 0.5},
                     {"decoder_self.entropy", 1},
                     {"encoder.layers.0.self.more_alone", 2}};
  EXPECT_THAT(StoredScores(earlier).read().figures,
              ElementsAre(Pair("cross.confidence", 0.25), Pair("decoder_self.entropy", 1),
                          Pair("encoder.layers.0.self.more_alone", 2),
                          Pair("encoder_self.same_position", 0.5)));
  EXPECT_EQ(present_name("gen.largest"), "gen.largest") << "of a type of examples";
}

// Older files do not say which outputs are right: those with equal text. They counted all attention
// pairs, whatever the pattern, so their cost does not compare. Pairs have no digest of a text.
TEST(RunScores, do_without_what_older_files_do_not_say) {
  RunScores told = two_examples();
  told.text = "";
  told.examples[1].output = told.examples[1].reference;
  StoredScores stored(told);
  EXPECT_THAT(stored.text, Not(HasSubstr(R"("text")")));
  for (const char* field :
       {R"(,"right":true)", R"(,"right":false)", R"(,"counted_pairs":"allowed")"}) {
    stored.replace(field, "");
  }
  const RunScores scores = stored.read();
  EXPECT_EQ(scores.text, "");
  EXPECT_FALSE(scores.examples[0].right);
  EXPECT_TRUE(scores.examples[1].right);
  EXPECT_EQ(scores.multiply_adds_per_token, std::nullopt);
}

TEST(RunScores, that_do_not_hold_are_refused) {
  const TemporaryDirectory nothing;
  EXPECT_THAT(message_of<IoError>([&] { static_cast<void>(read_scores(nothing.path())); }),
              HasSubstr("scores.jsonl"));
  const StoredScores stored(two_examples());
  stored.write(stored.text.substr(0, stored.text.rfind('{')));
  EXPECT_THAT(stored.error(), HasSubstr("has another number of examples than its first line says"));
  stored.write(stored.text.substr(0, stored.text.size() - 10));
  EXPECT_THAT(stored.error(), HasSubstr("scores.jsonl:3: not JSON"));
  RunScores none = two_examples();
  none.examples.clear();
  EXPECT_THAT(StoredScores(none).error(),
              HasSubstr("scores.jsonl:1: 'examples' is not a whole number from 1"));
  const std::vector<std::array<std::string, 3>> changes{
      {"\"correct\":", "\"correct\":9", "scores.jsonl:2: 'correct'"},
      {"\"tokens\":600", "\"tokens\":-600", "scores.jsonl:1: 'tokens'"},
      {"\"seconds\":", "\"seconds\":-", "scores.jsonl:1: 'seconds'"},
      {"\"output\":", "\"other\":", "scores.jsonl:2: there is no 'output'"}};
  for (const auto& [what, other, message] : changes) {
    StoredScores changed(two_examples());
    changed.replace(what, other);
    EXPECT_THAT(changed.error(), HasSubstr(message));
  }
}

}}  // namespace tapehead
