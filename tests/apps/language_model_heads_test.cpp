// Head options: all commands that inspect or change heads of language models, sweeps, and gates
// from training to removal.
#include "tests/support/program_runs.hpp"
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
    set_options(arguments, GetParam().options);
    set_options(arguments, {"model.layers=2", "training.steps=12", "evaluation.every=12",
                            "training.warmup=2"});
    return arguments;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Options, LanguageModelHeads,
    Values(HeadCase{"none", {}},
           HeadCase{"one_key_head", {"attention.kv_heads=1", "attention.positions=rotary"}},
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
  const auto heads = json_of("heads a --importance --json");
  ASSERT_EQ(heads["attentions"].size(), 2U);
  EXPECT_EQ(heads["attentions"][1]["heads"].size(), 4U);
  EXPECT_THAT(output(with_options({"plan", "a.yaml"})), HasSubstr("decoder self-attention"));
  EXPECT_THAT(output(with_options({"gradcheck", "a.yaml"})), HasSubstr("all gradients are right"));
  output("generate a --max-tokens 30");
  const std::string prune = "prune a b --head decoder.layers.0.self.2";
  if (!GetParam().stays.empty()) {
    expect_refusals({{prune, 2, {GetParam().stays}}});
    return;
  }
  output(prune);
  output("generate b --max-tokens 30");
  EXPECT_EQ(json_of("heads b --json")["attentions"][0]["heads"].size(), 3U);
}

using LanguageModelSweep = ProgramRuns;

TEST_F(LanguageModelSweep, over_head_options_says_what_heads_do) {
  text_training(here, "a");  // its config and its text
  here.write(
      "sweep.yaml",
      "config: a.yaml\nset: {model.heads: 2, training.steps: 12, evaluation.every: 12}\n"
      "axes:\n  attention.kv_heads: [1, 2]\n  attention.pattern: [full, [window 4 0, full]]\n"
      "heads: [figures, importance, pruning]\nshow: [decoder_self.entropy, heads.spare]\n"
      "metric: bits_per_byte\nsplit: validation\n");
  EXPECT_THAT(output("sweep sweep.yaml --run s"),
              AllOf(HasSubstr("decoder_self.entropy"), HasSubstr("[window 4 0, full]"),
                    HasSubstr("bits_per_byte of validation")));
  const auto runs = nlohmann::json::parse(content_of(here / "s/results.json"))["runs"];
  ASSERT_EQ(runs.size(), 4U);
  for (const auto& run : runs) {
    EXPECT_EQ(run["heads"], 2);
    EXPECT_GT(run["decoder_self.entropy"], 0);
    for (const char* figure :
         {"decoder.layers.0.self.more_without", "heads.prunable", "bits_per_byte"}) {
      EXPECT_TRUE(run.contains(figure)) << figure << " in " << run;
    }
    const auto scores = here / "s" / run["name"].get<std::string>() / "scores.jsonl";
    EXPECT_THAT(content_of(scores), HasSubstr(R"("text":")")) << "to compare runs of one text";
  }
  EXPECT_THAT(content_of(here / "s/report.html"), HasSubstr("decoder_self.entropy"));
}

// The penalty dominates training.
const Arguments with_gates{"attention.gates=l0",    "training.gate_penalty=30",
                           "training.gate_rate=50", "training.learning_rate=0.01",
                           "training.steps=60",     "evaluation.every=60"};

class Gates : public SharedRuns<Gates> {
 public:
  static void prepare() {
    here->output(tiny_training("gated", with_gates));
    here->output(tiny_training("plain"));
  }

 protected:
  static double loss_of(const std::string& name) {
    return here->json_of({"evaluate", name, "--checkpoint", "best", "--json"})["loss"];
  }
};

TEST_F(Gates, open_heads_are_in_the_metrics_and_the_penalty_is_not_in_the_loss) {
  std::vector<double> open;
  for (const std::string& line : lines_of(content_of(*here / "gated/metrics.jsonl"))) {
    const auto object = nlohmann::json::parse(line);
    if (!object.contains("split")) {
      open.push_back(object["open_heads"]);
      EXPECT_GE(object["penalty"], 0);
      EXPECT_LT(object["loss"], 30) << "twelve heads at 30 would be more";
    }
  }
  ASSERT_EQ(open.size(), 60U);
  EXPECT_GT(open.front(), 11);
  EXPECT_LT(open.back(), 6);
  EXPECT_THAT(content_of(*here / "plain/metrics.jsonl"), Not(HasSubstr("open_heads")));
}

TEST_F(Gates, are_shown_and_closed_ones_go_without_a_change_and_the_rest_trains_on) {
  EXPECT_THAT(here->output("heads gated"), HasSubstr("of 12 heads with gates are closed"));
  EXPECT_FALSE(here->json_of("heads plain --json").contains("gates"));
  const auto gates = here->json_of("heads gated --json")["gates"];
  ASSERT_EQ(gates.size(), 12U);
  EXPECT_EQ(gates[0]["attention"], "encoder.layers.0.self");
  EXPECT_THAT(gates[0]["gate"].get<double>(), AllOf(Ge(0), Le(1)));
  const auto closed =
      std::ranges::count_if(gates, [](const auto& head) { return head["gate"] == 0; });
  EXPECT_GT(closed, 6);
  EXPECT_THAT(here->output("prune gated small --closed"),
              HasSubstr("removed " + std::to_string(closed) + " of 12 heads"));
  EXPECT_NEAR(loss_of("small"), loss_of("gated"), 1e-5);
  here->output("translate small", "3 4 5\n");
  here->output(
      "train small/config.yaml --set model.init_from=small --set training.steps=2 --set "
      "training.warmup=0 --run again");
}

TEST_F(Gates, can_be_given_to_the_weights_of_a_model_without) {
  here->output(tiny_training(
      "tuned", {"attention.gates=l0", "model.init_from=plain", "training.learning_rate=0",
                "training.steps=1", "evaluation.every=1", "training.warmup=0"}));
  EXPECT_EQ(loss_of("tuned"), loss_of("plain"));
  EXPECT_THAT(here->refusal(1, tiny_training("back", {"model.init_from=gated"})),
              HasSubstr("encoder_self.gates: l0, not none)"));
}

}}  // namespace tapehead
