// tapehead prune: a smaller run that all commands accept.
#include <nlohmann/json.hpp>

#include "tests/support/program_runs.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

class Prune : public SharedRuns<Prune> {
 public:
  static void prepare() { here->output(tiny_training("a")); }
};

TEST_F(Prune, makes_a_run_that_is_evaluated_translated_and_trained_on) {
  EXPECT_THAT(here->output({"prune", "a", "b", "--head", "encoder.layers.0.self.1", "--head",
                            "encoder.layers.0.self.3", "--head", "decoder.layers.0.cross.0"}),
              AllOf(HasSubstr("removed 3 of 12 heads"),
                    HasSubstr("/tapehead train b/config.yaml --set model.init_from=b --run DIR")));
  EXPECT_GT(nlohmann::json::parse(here->output({"evaluate", "b", "--json"}))["loss"].get<double>(),
            0);
  here->output({"translate", "b"}, "3 4 5\n");
  const ProgramResult config = here->run({"config", "b/config.yaml"});
  EXPECT_THAT(config.output, HasSubstr("\nencoder_self:\n  heads: 2 "));
  EXPECT_THAT(config.output, HasSubstr("\ncross:\n  heads: 3 "));
  EXPECT_THAT(config.output, ContainsRegex("\n  heads: 3 +# prune\n"));
  EXPECT_THAT(config.output, ContainsRegex("\n  d_model: 16 +# --set\n"));
  // The attention that kept all its heads still follows `attention`.
  EXPECT_THAT(here->output({"config", "b/config.yaml", "--set", "attention.dropout=0.3"}),
              ContainsRegex("\ndecoder_self:\n(  [^\n]*\n)*  dropout: 0.3 "));
  here->output({"train", "b/config.yaml", "--set", "model.init_from=b", "--set", "training.steps=2",
                "--set", "training.warmup=0", "--run", "c"});
}

TEST_F(Prune, json_has_what_the_text_says) {
  const Arguments heads{"--head", "encoder.layers.0.self.1", "--head", "decoder.layers.0.cross.0"};
  const Arguments arguments = Arguments{"prune", "a", "told", "--json"} + heads;
  const auto json = nlohmann::json::parse(here->run(arguments).output);
  EXPECT_EQ(json["run"], "told");
  EXPECT_EQ(json["heads"], 12);
  EXPECT_EQ(json["removed"], nlohmann::json({heads[1], heads[3]}));
  EXPECT_EQ(json["remark"], "");
  // Per head: 4 columns of 16 numbers with 4 biases for each of query, key and value, and 4 rows of
  // 16 in the output projection.
  EXPECT_EQ(json["parameters"]["before"].get<int>() - json["parameters"]["after"].get<int>(),
            2 * (3 * (4 * 16 + 4) + 4 * 16));
  const auto loss = [](const std::string& of) {
    const auto evaluated = here->run({"evaluate", of, "--split", "validation", "--json"});
    return nlohmann::json::parse(evaluated.output)["loss"];
  };
  EXPECT_EQ(json["loss"]["before"], loss("a"));
  EXPECT_EQ(json["loss"]["after"], loss("told"));
}

TEST_F(Prune, takes_the_least_important_by_itself) {
  EXPECT_THAT(here->output({"prune", "a", "d", "--count", "5"}),
              HasSubstr("removed 5 of 12 heads"));
  const ProgramResult all = here->run({"prune", "a", "e", "--tolerance", "100"});
  EXPECT_THAT(all.output, HasSubstr("removed 12 of 12 heads"));
  here->output({"evaluate", "e"});
}

// ALiBi slopes belong to all heads of an attention, so its heads stay and others are removed.
TEST_F(Prune, takes_others_where_some_cannot_go) {
  here->output(tiny_training("fixed", {"encoder_self.positions=alibi"}));
  const std::string staying =
      "heads that cannot be removed: encoder.layers.0.self: each head's slope";
  EXPECT_THAT(here->output({"prune", "fixed", "g", "--count", "7"}),
              AllOf(HasSubstr("removed 7 of 12 heads"), HasSubstr(staying),
                    Not(HasSubstr(" encoder.layers.0.self."))));
  here->output({"evaluate", "g"});
  EXPECT_THAT(here->output({"prune", "fixed", "h", "--tolerance", "100"}),
              AllOf(HasSubstr("removed 8 of 12 heads"), HasSubstr(staying)));
  EXPECT_THAT(here->refusal(2, {"prune", "fixed", "i", "--count", "9"}),
              HasSubstr("9 heads cannot be removed: the model has 12 heads, of which "
                        "8 can be removed (not those of encoder.layers.0.self: "));
}

TEST_F(Prune, takes_heads_that_share_keys_in_sets) {
  here->output(tiny_training("shared", {"attention.kv_heads=2"}));
  here->output({"prune", "shared", "j", "--count", "2"});
  here->output({"evaluate", "j"});
  EXPECT_THAT(here->refusal(2, {"prune", "shared", "k", "--count", "1"}),
              HasSubstr("so 0 or 2 can be removed"));
  EXPECT_FALSE(std::filesystem::exists(here->path() / "k"));
}

// The file size limit is between the sizes of config and weights.
TEST_F(Prune, that_was_stopped_half_way_is_repeated) {
  const ProgramResult stopped =
      run_shell("ulimit -f 32; \"$TAPEHEAD\" prune a half --count 1", here->path());
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_THAT(stopped.errors, HasSubstr("half/checkpoints/best.safetensors: File too large"));
  EXPECT_THAT(here->run({"evaluate", "half"}).errors, HasSubstr("so repeat that command"));
  here->output({"prune", "a", "half", "--count", "1"});
  here->output({"evaluate", "half"});
}

TEST_F(Prune, refuses_what_it_cannot_do_and_makes_nothing) {
  EXPECT_THAT(here->refusal(2, {"prune", "a", "f", "--head", "encoder.layers.0.self.4"}),
              HasSubstr("no head 4 of encoder.layers.0.self"));
  EXPECT_THAT(here->run({"prune", "a", "f", "--head", "self"}).errors,
              HasSubstr("not of the form ATTENTION.NUMBER"));
  const ProgramResult twice = here->run({"prune", "a", "f", "--head", "encoder.layers.0.self.1",
                                         "--head", "encoder.layers.0.self.01"});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.errors, HasSubstr("--head encoder.layers.0.self.01: it is given twice"));
  EXPECT_THAT(here->run({"prune", "a", "f", "--count", "13"}).errors, HasSubstr("has 12 heads"));
  EXPECT_FALSE(std::filesystem::exists(here->path() / "f"));
  EXPECT_THAT(here->run({"prune", "a", "a", "--count", "1"}).errors,
              HasSubstr("run a exists already; replace it with --overwrite, or choose another "
                        "directory\n"));
}

}}  // namespace tapehead
