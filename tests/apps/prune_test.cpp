// tapehead prune: a smaller run that all commands accept.
#include "tests/support/program_runs.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

class Prune : public ProgramRuns {
 protected:
  void SetUp() override { output(tiny_training("a")); }
};

TEST_F(Prune, makes_a_run_that_is_evaluated_translated_and_trained_on) {
  EXPECT_THAT(output("prune a b --head encoder.layers.0.self.1 --head encoder.layers.0.self.3 "
                     "--head decoder.layers.0.cross.0"),
              AllOf(HasSubstr("removed 3 of 12 heads"),
                    HasSubstr("/tapehead train b/config.yaml --set model.init_from=b --run DIR")));
  EXPECT_GT(json_of("evaluate b --json")["loss"], 0);
  output("translate b", "3 4 5\n");
  EXPECT_THAT(
      output("config b/config.yaml"),
      AllOf(HasSubstr("\nencoder_self:\n  heads: 2 "), HasSubstr("\ncross:\n  heads: 3 "),
            ContainsRegex("\n  heads: 3 +# prune\n"), ContainsRegex("\n  d_model: 16 +# --set\n")));
  // The attention that kept all its heads still follows `attention`.
  EXPECT_THAT(output("config b/config.yaml --set attention.dropout=0.3"),
              ContainsRegex("\ndecoder_self:\n(  [^\n]*\n)*  dropout: 0.3 "));
  output(
      "train b/config.yaml --run c --set model.init_from=b --set training.steps=2 "
      "--set training.warmup=0");
}

TEST_F(Prune, json_has_what_the_text_says) {
  const auto json =
      json_of("prune a told --json --head encoder.layers.0.self.1 --head decoder.layers.0.cross.0");
  EXPECT_EQ(json["run"], "told");
  EXPECT_EQ(json["heads"], 12);
  EXPECT_EQ(json["removed"],
            nlohmann::json({"encoder.layers.0.self.1", "decoder.layers.0.cross.0"}));
  EXPECT_EQ(json["remark"], "");
  // Per head: 4 columns of 16 numbers with 4 biases for each of query, key and value, and 4 rows of
  // 16 in the output projection.
  EXPECT_EQ(json["parameters"]["before"].get<int>() - json["parameters"]["after"].get<int>(),
            2 * (3 * (4 * 16 + 4) + 4 * 16));
  const std::string evaluate = "evaluate --split validation --json ";
  EXPECT_EQ(json["loss"]["before"], json_of(evaluate + "a")["loss"]);
  EXPECT_EQ(json["loss"]["after"], json_of(evaluate + "told")["loss"]);
}

TEST_F(Prune, takes_the_least_important_by_itself_and_is_repeated_after_a_stop) {
  EXPECT_THAT(output("prune a d --count 5"), HasSubstr("removed 5 of 12 heads"));
  EXPECT_THAT(output("prune a e --tolerance 100"), HasSubstr("removed 12 of 12 heads"));
  output("evaluate e");
  // The file size limit is between the sizes of config and weights.
  const ProgramResult stopped =
      run_shell("ulimit -f 32; \"$TAPEHEAD\" prune a half --count 1", here.path());
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_THAT(stopped.errors, HasSubstr("half/checkpoints/best.safetensors: File too large"));
  EXPECT_THAT(complaint("evaluate half"), HasSubstr("so repeat that command"));
  output("prune a half --count 1");
  output("evaluate half");
}

// ALiBi slopes belong to all heads of an attention, so its heads stay and others are removed.
TEST_F(Prune, takes_others_where_some_cannot_go) {
  output(tiny_training("fixed", {"encoder_self.positions=alibi"}));
  EXPECT_THAT(output("prune fixed g --count 7"),
              AllOf(HasSubstr("removed 7 of 12 heads"),
                    HasSubstr("heads that cannot be removed: encoder.layers.0.self: each head's "
                              "slope"),
                    Not(HasSubstr(" encoder.layers.0.self."))));
  output("evaluate g");
}

TEST_F(Prune, refuses_what_it_cannot_do_and_makes_nothing) {
  const std::string head = "encoder.layers.0.self.";
  expect_refusals({{"prune a f --head " + head + "4", 2, {"no head 4 of encoder.layers.0.self"}},
                   {"prune a f --head self", 2, {"not of the form ATTENTION.NUMBER"}},
                   {"prune a f --head " + head + "1 --head " + head + "01",
                    2,
                    {"--head " + head + "01: it is given twice"}},
                   {"prune a f --count 13", 2, {"has 12 heads"}},
                   {"prune a a --count 1",
                    1,
                    {"run a exists already; replace it with --overwrite, or choose another "
                     "directory\n"}}});
  EXPECT_FALSE(std::filesystem::exists(here / "f"));
}

}}  // namespace tapehead
