// Scores read back as written; a damaged file is rejected.
#include "lab/run_scores.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/program.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

RunScores two_examples() {
  return {.split = "test",
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
                       {.negative_log_likelihood = 2,
                        .tokens = 1,
                        .correct = 0,
                        .output = "",
                        .reference = "c",
                        .right = false}}};
}

TEST(RunScores, have_present_names_for_earlier_ones) {
  const TemporaryDirectory here;
  RunScores scores = two_examples();
  scores.figures = {{"cross.largest", 0.25},
                    {"encoder_self.self", 0.5},
                    {"decoder_self.entropy", 1},
                    {"encoder.layers.0.self.more_alone", 2}};
  write_scores(here.path(), scores);
  EXPECT_EQ(read_scores(here.path()).figures,
            (std::map<std::string, double>{{"cross.confidence", 0.25},
                                           {"encoder_self.same_position", 0.5},
                                           {"decoder_self.entropy", 1},
                                           {"encoder.layers.0.self.more_alone", 2}}));
  EXPECT_EQ(present_name("gen.largest"), "gen.largest") << "of a type of examples";
}

TEST(RunScores, come_back_to_the_bit) {
  const TemporaryDirectory here;
  write_scores(here.path(), two_examples());
  const RunScores scores = read_scores(here.path());
  EXPECT_EQ(scores.split, "test");
  EXPECT_EQ(scores.text, "0123456789abcdef");
  EXPECT_EQ(scores.parameters, 12);
  EXPECT_EQ(scores.multiply_adds_per_token, 1.0 / 3);
  EXPECT_EQ(scores.tokens, 600);
  EXPECT_EQ(scores.study, two_examples().study);
  EXPECT_EQ(scores.figures.at("cross.entropy"), 0.1);
  EXPECT_FALSE(std::isfinite(scores.figures.at("gradient_norm")));
  ASSERT_EQ(scores.examples.size(), 2U);
  EXPECT_EQ(scores.examples[0].negative_log_likelihood, 0.1);
  EXPECT_EQ(scores.examples[0].output, "a \"b\"\n");
  EXPECT_EQ(scores.examples[0].reference, "Ä");
  EXPECT_EQ(scores.examples[1].correct, 0);
  EXPECT_TRUE(scores.examples[0].right);
  EXPECT_FALSE(scores.examples[1].right);
}

// Older files do not store which outputs are right.
TEST(RunScores, that_do_not_say_what_is_right_take_equal_text_for_right) {
  const TemporaryDirectory here;
  RunScores told = two_examples();
  told.examples[1].output = told.examples[1].reference;
  write_scores(here.path(), told);
  std::string text = content_of(scores_file(here.path()));
  for (const std::string_view field : {R"(,"right":true)", R"(,"right":false)"}) {
    ASSERT_NE(text.find(field), std::string::npos);
    text.erase(text.find(field), field.size());
  }
  std::ofstream(scores_file(here.path())) << text;
  const RunScores scores = read_scores(here.path());
  EXPECT_FALSE(scores.examples[0].right);
  EXPECT_TRUE(scores.examples[1].right);
}

// Earlier versions counted all attention pairs, whatever the pattern.
TEST(RunScores, have_no_cost_unless_they_say_which_pairs_count) {
  const TemporaryDirectory here;
  write_scores(here.path(), two_examples());
  std::string text = content_of(scores_file(here.path()));
  constexpr std::string_view field = R"(,"counted_pairs":"allowed")";
  ASSERT_NE(text.find(field), std::string::npos);
  text.erase(text.find(field), field.size());
  std::ofstream(scores_file(here.path())) << text;
  EXPECT_EQ(read_scores(here.path()).multiply_adds_per_token, std::nullopt);
}

TEST(RunScores, do_without_the_digest_of_a_text) {
  const TemporaryDirectory here;
  RunScores pairs = two_examples();
  pairs.text = "";
  write_scores(here.path(), pairs);
  EXPECT_EQ(content_of(scores_file(here.path())).find(R"("text")"), std::string::npos);
  EXPECT_EQ(read_scores(here.path()).text, "");
}

TEST(RunScores, that_do_not_hold_are_refused) {
  const TemporaryDirectory here;
  const auto error = [&] {
    return message_of<IoError>([&] { static_cast<void>(read_scores(here.path())); });
  };
  EXPECT_THAT(error(), HasSubstr("scores.jsonl"));
  write_scores(here.path(), two_examples());
  const std::string text = content_of(scores_file(here.path()));
  std::ofstream(scores_file(here.path())) << text.substr(0, text.rfind('{'));
  EXPECT_THAT(error(), HasSubstr("does not hold the examples that it names"));
  std::ofstream(scores_file(here.path())) << text.substr(0, text.size() - 10);
  EXPECT_THAT(error(), HasSubstr("scores.jsonl:3: not JSON"));
  RunScores none = two_examples();
  none.examples.clear();
  write_scores(here.path(), none);
  EXPECT_THAT(error(), HasSubstr("scores.jsonl:1: 'examples' is not a whole number from 1"));
}

TEST(RunScores, that_cannot_be_are_refused_with_their_line) {
  const TemporaryDirectory here;
  write_scores(here.path(), two_examples());
  const std::string text = content_of(scores_file(here.path()));
  const auto error = [&](const std::string& what, const std::string& other) {
    std::string changed = text;
    changed.replace(changed.find(what), what.size(), other);
    std::ofstream(scores_file(here.path())) << changed;
    return message_of<IoError>([&] { static_cast<void>(read_scores(here.path())); });
  };
  EXPECT_THAT(error("\"correct\":", "\"correct\":9"), HasSubstr("scores.jsonl:2: 'correct'"));
  EXPECT_THAT(error("\"tokens\":600", "\"tokens\":-600"), HasSubstr("scores.jsonl:1: 'tokens'"));
  EXPECT_THAT(error("\"seconds\":", "\"seconds\":-"), HasSubstr("scores.jsonl:1: 'seconds'"));
  EXPECT_THAT(error("\"output\":", "\"other\":"),
              HasSubstr("scores.jsonl:2: there is no 'output'"));
}

}}  // namespace tapehead
