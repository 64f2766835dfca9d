// tapehead prune: a smaller run that everything can be done with.
#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

class Prune : public Test {
 protected:
  static void SetUpTestSuite() {
    here = std::make_unique<TemporaryDirectory>();
    const ProgramResult result = run(tiny_training("a"));
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  }
  static void TearDownTestSuite() { here.reset(); }

  static ProgramResult run(const Arguments& arguments) {
    return run_program(arguments, here->path());
  }

  static std::unique_ptr<TemporaryDirectory> here;
};
std::unique_ptr<TemporaryDirectory> Prune::here;

TEST_F(Prune, makes_a_run_that_is_evaluated_translated_and_trained_on) {
  const ProgramResult pruned =
      run({"prune", "a", "b", "--head", "encoder.layers.0.self.1", "--head",
           "encoder.layers.0.self.3", "--head", "decoder.layers.0.cross.0"});
  ASSERT_EQ(pruned.exit_code, 0) << pruned.errors;
  EXPECT_THAT(pruned.output,
              AllOf(HasSubstr("removed 3 of 12 heads"),
                    HasSubstr("/tapehead train b/config.yaml --set model.init_from=b --run DIR")));
  const ProgramResult evaluated = run({"evaluate", "b", "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.errors;
  EXPECT_GT(nlohmann::json::parse(evaluated.output)["loss"].get<double>(), 0);
  const ProgramResult translated = run_program({"translate", "b"}, here->path(), "3 4 5\n");
  EXPECT_EQ(translated.exit_code, 0) << translated.errors;
  const ProgramResult config = run({"config", "b/config.yaml"});
  EXPECT_THAT(config.output, HasSubstr("\nencoder_self:\n  heads: 2 "));
  EXPECT_THAT(config.output, HasSubstr("\ncross:\n  heads: 3 "));
  EXPECT_THAT(config.output, ContainsRegex("\n  heads: 3 +# prune\n"));
  EXPECT_THAT(config.output, ContainsRegex("\n  d_model: 16 +# --set\n"));
  // The attention that kept all its heads still follows.
  const ProgramResult changed = run({"config", "b/config.yaml", "--set", "attention.dropout=0.3"});
  ASSERT_EQ(changed.exit_code, 0) << changed.errors;
  EXPECT_THAT(changed.output, ContainsRegex("\ndecoder_self:\n(  [^\n]*\n)*  dropout: 0.3 "));
  const ProgramResult trained =
      run({"train", "b/config.yaml", "--set", "model.init_from=b", "--set", "training.steps=2",
           "--set", "training.warmup=0", "--run", "c"});
  EXPECT_EQ(trained.exit_code, 0) << trained.errors;
}

TEST_F(Prune, json_has_what_the_text_says) {
  const Arguments heads{"--head", "encoder.layers.0.self.1", "--head", "decoder.layers.0.cross.0"};
  Arguments arguments{"prune", "a", "told", "--json"};
  arguments.insert(arguments.end(), heads.begin(), heads.end());
  const auto json = nlohmann::json::parse(run(arguments).output);
  EXPECT_EQ(json["run"], "told");
  EXPECT_EQ(json["heads"], 12);
  EXPECT_EQ(json["removed"], nlohmann::json({heads[1], heads[3]}));
  EXPECT_EQ(json["remark"], "");
  // Of each head: 4 columns of 16 numbers for query, key and value with 4 biases each, and 4 rows
  // of 16 of the output projection.
  EXPECT_EQ(json["parameters"]["before"].get<int>() - json["parameters"]["after"].get<int>(),
            2 * (3 * (4 * 16 + 4) + 4 * 16));
  const auto loss = [](const std::string& of) {
    const auto evaluated = run({"evaluate", of, "--split", "validation", "--json"});
    return nlohmann::json::parse(evaluated.output)["loss"];
  };
  EXPECT_EQ(json["loss"]["before"], loss("a"));
  EXPECT_EQ(json["loss"]["after"], loss("told"));
}

TEST_F(Prune, takes_the_least_important_by_itself) {
  const ProgramResult pruned = run({"prune", "a", "d", "--count", "5"});
  EXPECT_EQ(pruned.exit_code, 0) << pruned.errors;
  EXPECT_THAT(pruned.output, HasSubstr("removed 5 of 12 heads"));
  const ProgramResult all = run({"prune", "a", "e", "--tolerance", "100"});
  EXPECT_THAT(all.output, HasSubstr("removed 12 of 12 heads"));
  EXPECT_EQ(run({"evaluate", "e"}).exit_code, 0);
}

// The slopes of alibi belong to all heads of an attention together: they stay, and others go.
TEST_F(Prune, takes_others_where_some_cannot_go) {
  ASSERT_EQ(run(tiny_training("fixed", {"encoder_self.positions=alibi"})).exit_code, 0);
  const std::string staying =
      "heads that cannot be removed: encoder.layers.0.self: each head's slope";
  const ProgramResult some = run({"prune", "fixed", "g", "--count", "7"});
  ASSERT_EQ(some.exit_code, 0) << some.errors;
  EXPECT_THAT(some.output, AllOf(HasSubstr("removed 7 of 12 heads"), HasSubstr(staying),
                                 Not(HasSubstr(" encoder.layers.0.self."))));
  EXPECT_EQ(run({"evaluate", "g"}).exit_code, 0);
  const ProgramResult all = run({"prune", "fixed", "h", "--tolerance", "100"});
  ASSERT_EQ(all.exit_code, 0) << all.errors;
  EXPECT_THAT(all.output, AllOf(HasSubstr("removed 8 of 12 heads"), HasSubstr(staying)));
  const ProgramResult more = run({"prune", "fixed", "i", "--count", "9"});
  EXPECT_EQ(more.exit_code, 2);
  EXPECT_THAT(more.errors, HasSubstr("9 heads cannot be removed: the model has 12 heads, of which "
                                     "8 can be removed (not those of encoder.layers.0.self: "));
}

TEST_F(Prune, takes_heads_that_share_keys_in_sets) {
  ASSERT_EQ(run(tiny_training("shared", {"attention.kv_heads=2"})).exit_code, 0);
  const ProgramResult two = run({"prune", "shared", "j", "--count", "2"});
  ASSERT_EQ(two.exit_code, 0) << two.errors;
  EXPECT_EQ(run({"evaluate", "j"}).exit_code, 0);
  const ProgramResult one = run({"prune", "shared", "k", "--count", "1"});
  EXPECT_EQ(one.exit_code, 2);
  EXPECT_THAT(one.errors, HasSubstr("so 0 or 2 can be removed"));
  EXPECT_FALSE(std::filesystem::exists(here->path() / "k"));
}

// The limit on the size of files is between that of the config and that of the weights.
TEST_F(Prune, that_was_stopped_half_way_is_repeated) {
  const ProgramResult stopped =
      run_shell("ulimit -f 32; \"$TAPEHEAD\" prune a half --count 1", here->path());
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_THAT(stopped.errors, HasSubstr("half/checkpoints/best.safetensors: File too large"));
  EXPECT_THAT(run({"evaluate", "half"}).errors, HasSubstr("so repeat that command"));
  const ProgramResult again = run({"prune", "a", "half", "--count", "1"});
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(run({"evaluate", "half"}).exit_code, 0);
}

TEST_F(Prune, refuses_what_it_cannot_do_and_makes_nothing) {
  const ProgramResult unknown = run({"prune", "a", "f", "--head", "encoder.layers.0.self.4"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.errors, HasSubstr("no head 4 of encoder.layers.0.self"));
  EXPECT_THAT(run({"prune", "a", "f", "--head", "self"}).errors,
              HasSubstr("not of the form ATTENTION.NUMBER"));
  const ProgramResult twice = run({"prune", "a", "f", "--head", "encoder.layers.0.self.1", "--head",
                                   "encoder.layers.0.self.01"});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.errors, HasSubstr("--head encoder.layers.0.self.01: it is given twice"));
  EXPECT_THAT(run({"prune", "a", "f", "--count", "13"}).errors, HasSubstr("has 12 heads"));
  EXPECT_FALSE(std::filesystem::exists(here->path() / "f"));
  EXPECT_THAT(run({"prune", "a", "a", "--count", "1"}).errors,
              HasSubstr("run a exists already; replace it with --overwrite, or choose another "
                        "directory\n"));
}

}}  // namespace tapehead
