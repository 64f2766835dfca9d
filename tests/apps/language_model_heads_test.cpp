// Head options in language models: all commands that inspect or change heads, and sweeps.
#include <nlohmann/json.hpp>

#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_training.hpp"

namespace tapehead { namespace {

// Four heads in each of two layers.
struct HeadCase {
  std::string name;
  Arguments options;
  std::string stays{};  // reason why no head can be removed

  friend std::ostream& operator<<(std::ostream& out, const HeadCase& of) { return out << of.name; }
};

class LanguageModelHeads : public ProgramRuns, public WithParamInterface<HeadCase> {
 protected:
  Arguments with_options(Arguments arguments) {
    Arguments all = GetParam().options;
    all.insert(all.end(),
               {"model.layers=2", "training.steps=12", "evaluation.every=12", "training.warmup=2"});
    set_options(arguments, all);
    return arguments;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Options, LanguageModelHeads,
    Values(HeadCase{"one_key_head", {"attention.kv_heads=1", "attention.positions=rotary"}},
           HeadCase{"one_weight_for_query_and_key",
                    {"attention.sharing=query_key", "attention.positions=relative_keys",
                     "attention.pattern=[full, window 6 0, strided 4, top_k 3]"}},
           HeadCase{"tied_heads", {"attention.head_weights=tied", "attention.positions=t5"}},
           HeadCase{"one_attention_in_both_layers",
                    {"attention.shared_as=one", "attention.gates=l0",
                     "attention.positions=transformer_xl"},
                    "other attentions share their weights"},
           HeadCase{
               "slopes", {"attention.positions=alibi"}, "each head's slope depends on its number"},
           HeadCase{"scores",
                    {"attention.score=[dot, bilinear, cosine, additive]", "attention.scale=learned",
                     "attention.head_dropout=0.2"}}),
    [](const auto& test) { return test.param.name; });

TEST_P(LanguageModelHeads, work_in_every_command) {
  output(with_options(text_training(here, "a", {"run.report=true"})));
  EXPECT_THAT(content_of(here / "a/report.html"),
              AllOf(HasSubstr("decoder.layers.0.self"), HasSubstr("decoder.layers.1.self")));
  const auto heads = nlohmann::json::parse(output({"heads", "a", "--importance", "--json"}));
  ASSERT_EQ(heads["attentions"].size(), 2U);
  EXPECT_EQ(heads["attentions"][1]["heads"].size(), 4U);
  EXPECT_THAT(output(with_options({"plan", "a.yaml"})), HasSubstr("decoder self-attention"));
  EXPECT_THAT(output(with_options({"gradcheck", "a.yaml"})), HasSubstr("all gradients are right"));
  output({"generate", "a", "--max-tokens", "30"});
  const ProgramResult pruned = here.run({"prune", "a", "b", "--head", "decoder.layers.0.self.2"});
  if (!GetParam().stays.empty()) {
    EXPECT_EQ(pruned.exit_code, 2);
    EXPECT_THAT(pruned.errors, HasSubstr(GetParam().stays));
    return;
  }
  EXPECT_EQ(pruned.exit_code, 0) << pruned.errors;
  output({"generate", "b", "--max-tokens", "30"});
  const auto fewer = nlohmann::json::parse(output({"heads", "b", "--json"}));
  EXPECT_EQ(fewer["attentions"][0]["heads"].size(), 3U);
}

class LanguageModelSweep : public ProgramRuns {};

TEST_F(LanguageModelSweep, over_head_options_says_what_heads_do) {
  text_training(here, "a");  // its config and its text
  std::ofstream(here / "sweep.yaml")
      << "config: a.yaml\nset: {model.heads: 2, training.steps: 12, evaluation.every: 12}\n"
         "axes:\n  attention.kv_heads: [1, 2]\n  attention.pattern: [full, [window 4 0, full]]\n"
         "heads: [figures, importance, pruning]\nshow: [decoder_self.entropy, heads.spare]\n"
         "metric: bits_per_byte\nsplit: validation\n";
  EXPECT_THAT(here.output({"sweep", "sweep.yaml", "--run", "s"}),
              AllOf(HasSubstr("decoder_self.entropy"), HasSubstr("[window 4 0, full]")));
  const auto runs = nlohmann::json::parse(content_of(here / "s/results.json"))["runs"];
  ASSERT_EQ(runs.size(), 4U);
  for (const auto& run : runs) {
    EXPECT_EQ(run["heads"], 2);
    EXPECT_GT(run["decoder_self.entropy"], 0);
    EXPECT_TRUE(run.contains("decoder.layers.0.self.more_without")) << run;
    EXPECT_TRUE(run.contains("heads.prunable"));
    EXPECT_TRUE(run.contains("bits_per_byte"));
    const auto scores = here / "s" / run["name"].get<std::string>() / "scores.jsonl";
    EXPECT_THAT(content_of(scores), HasSubstr(R"("text":")")) << "to compare runs of one text";
  }
  EXPECT_THAT(content_of(here / "s/report.html"), HasSubstr("decoder_self.entropy"));
}

}}  // namespace tapehead
