// Sweep files become cells and runs; each mistake is reported with its place.
#include "lab/sweep/plan.hpp"

#include "tests/support/message_of.hpp"
#include "train/config/config.hpp"

namespace tapehead { namespace {

const std::string config = "config: " TAPEHEAD_SOURCE_DIR "/configs/copy.yaml\n";

SweepPlan plan_of(const std::string& text) { return plan_sweep(parse_sweep(text, "a.yaml")); }
std::string error_of(const std::string& text) {
  return message_of<ConfigError>([&] { plan_of(text); });
}

std::vector<std::string> names_of(const SweepPlan& plan) {
  std::vector<std::string> names;
  for (const SweepRun& run : plan.runs) {
    names.push_back(run.name);
  }
  return names;
}

TEST(SweepPlan, has_a_cell_for_each_combination_and_a_run_for_each_seed) {
  const SweepPlan plan = plan_of(config +
                                 "set: {training.steps: 300}\n"
                                 "seeds: [7, 9]\n"
                                 "axes:\n"
                                 "  model.heads: [1, 2]\n"
                                 "  width:\n"
                                 "    narrow: {model.d_model: 16, model.d_ff: 8}\n"
                                 "    wide: {model.d_model: 32, model.d_ff: 64}\n"
                                 "metric: bleu\n"
                                 "split: validation\n");
  ASSERT_EQ(plan.cells.size(), 4U);
  EXPECT_THAT(plan.axes, ElementsAre("model.heads", "width"));
  EXPECT_THAT(plan.cells[1], ElementsAre("1", "wide"));
  EXPECT_THAT(names_of(plan),
              ElementsAre("model.heads=1,width=narrow,seed=7", "model.heads=1,width=wide,seed=7",
                          "model.heads=2,width=narrow,seed=7", "model.heads=2,width=wide,seed=7",
                          "model.heads=1,width=narrow,seed=9", "model.heads=1,width=wide,seed=9",
                          "model.heads=2,width=narrow,seed=9", "model.heads=2,width=wide,seed=9"));
  const SweepRun& run = plan.runs[7];
  EXPECT_EQ(run.cell, 3U);
  EXPECT_THAT(run.overrides, ElementsAre("training.steps=300", "model.heads=2", "model.d_model=32",
                                         "model.d_ff=64", "seed=9"));
  EXPECT_EQ(run.config.training.steps, 300);
  EXPECT_EQ(run.config.model.heads, 2);
  EXPECT_EQ(run.config.model.d_head, 16);  // resolved
  EXPECT_EQ(run.config.seed, 9U);
  EXPECT_EQ(plan.metric, Metric::bleu);
  EXPECT_EQ(plan.split, "validation");
}

TEST(SweepPlan, says_what_is_studied_and_shown_and_without_axes_is_the_config_itself) {
  const SweepPlan plan = plan_of(config +
                                 "further_splits: [validation, train]\nheads: [pruning]\n"
                                 "show: [train.loss, cross.entropy]\n");
  EXPECT_EQ(plan.study,
            (RunStudy{.further_splits = {"validation", "train"}, .heads = true, .pruning = true}));
  EXPECT_THAT(plan.show, ElementsAre("train.loss", "cross.entropy"));
  EXPECT_THAT(plan_of(config + "show: [cross.largest, encoder_self.self]\n").show,
              ElementsAre("cross.confidence", "encoder_self.same_position"));
  EXPECT_EQ(plan_of(config).study, RunStudy{});
  const SweepPlan alone = plan_of(config);
  EXPECT_EQ(alone.cells.size(), 1U);
  EXPECT_THAT(names_of(alone), ElementsAre("seed=1"));
  EXPECT_EQ(alone.metric, Metric::sequence_accuracy);  // from copy.yaml
  EXPECT_THAT(names_of(plan_of(config + "seeds: 3")), ElementsAre("seed=1", "seed=2", "seed=3"));
  EXPECT_THAT(names_of(plan_of(
                  R"({"config": ")" TAPEHEAD_SOURCE_DIR
                  R"(/configs/copy.yaml", "seeds": [4], "axes": {"model.norm": ["rms_norm"]}})")),
              ElementsAre("model.norm=rms_norm,seed=4"))
      << "JSON";
}

TEST(SweepPlan, options_can_be_set_from_outside) {
  SweepFile file = parse_sweep(config +
                                   "set: {training.steps: 300, model.heads: 2}\nseeds: 3\n"
                                   "axes: {model.d_model: [8, 16]}\n",
                               "a.yaml");
  override_fixed(file, parse_overrides({"training.steps=700", "model.layers=1", "seed=5"}));
  const SweepPlan plan = plan_sweep(file);
  ASSERT_EQ(plan.runs.size(), 2U);
  EXPECT_THAT(plan.runs[1].overrides, ElementsAre("model.heads=2", "training.steps=700",
                                                  "model.layers=1", "model.d_model=16", "seed=5"));
  override_fixed(file, parse_overrides({"model.d_model=4"}));
  EXPECT_THAT(message_of<ConfigError>([&] { plan_sweep(file); }),
              StartsWith("a.yaml:4:8: model.d_model: already set by --set model.d_model=4"));
}

// The check of the metric is that of evaluation.metric in a config, except that outputs are always
// written.
TEST(SweepPlan, expects_the_split_and_the_metric_in_every_run) {
  EXPECT_EQ(plan_of(config + "set: {task.longer_min_length: 12, task.longer_max_length: 14,\n"
                             "  task.longer_examples: 9}\nsplit: longer\n")
                .split,
            "longer");
  EXPECT_EQ(plan_of(config + "set: {evaluation.metric: loss, evaluation.decode: false}\n"
                             "metric: bleu\n")
                .metric,
            Metric::bleu);
  const std::string text = "config: " TAPEHEAD_SOURCE_DIR "/configs/shakespeare.yaml\n";
  EXPECT_THAT(error_of(text + "metric: bleu\n"),
              EndsWith("metric: bleu is not measured in seed=1 (allowed: loss, perplexity, "
                       "token_accuracy, bits_per_byte, word_perplexity)"));
  EXPECT_EQ(plan_of(text + "metric: bits_per_byte\n").metric, Metric::bits_per_byte);
  const std::string masked = "config: " TAPEHEAD_SOURCE_DIR "/configs/trec_masked.yaml\n";
  EXPECT_THAT(error_of(masked + "metric: bits_per_byte\n"),
              EndsWith("(allowed: loss, perplexity, token_accuracy)"));
}

TEST(SweepPlan, knows_where_an_option_of_a_run_is_set) {
  SweepFile file = parse_sweep(config +
                                   "set: {training.steps: 300}\n"
                                   "axes:\n"
                                   "  model.dropout: [0, 0.5]\n",
                               "a.yaml");
  override_fixed(file, parse_overrides({"model.layers=1"}));
  const auto places = plan_sweep(file).runs.at(1).places;
  EXPECT_EQ(places.at("training.steps"), "a.yaml:2:23: training.steps");
  EXPECT_EQ(places.at("model.dropout"), "a.yaml:4:22: model.dropout");
  EXPECT_EQ(places.at("model.layers"), "--set model.layers=1");
  EXPECT_THAT(places.at("task.name"), MatchesRegex(".*/copy.yaml:[0-9]+:[0-9]+: task.name"));
  EXPECT_FALSE(places.contains("training.freeze"));  // not set anywhere
}

// A config's list is a list in an axis, in a setting of several options, and in `set`.
TEST(SweepPlan, a_value_can_be_a_list_and_a_run_has_the_config_that_its_overrides_make) {
  const SweepPlan plan = plan_of(config +
                                 "set: {cross.heads: [2, 1]}\n"
                                 "axes:\n"
                                 "  attention.heads: [[4, 2], 4]\n"
                                 "  encoder_self.pattern:\n"
                                 "    - [[\"window 8\"], full]\n"
                                 "    - [[full, full, window 2, 'window 1 0'], full]\n"
                                 "    - full\n"
                                 "  last: {one: {decoder_self.d_qk: [8, 16]}}\n");
  ASSERT_EQ(plan.cells.size(), 6U);
  EXPECT_THAT(plan.cells[0], ElementsAre("[4, 2]", "[[window 8], full]", "one"));
  EXPECT_THAT(plan.cells[1],
              ElementsAre("[4, 2]", "[[full, full, window 2, window 1 0], full]", "one"));
  std::vector<std::string> names;
  for (const char* heads : {"4+2", "4"}) {
    for (const char* pattern : {"window_8+full", "full-full-window_2-window_1_0+full", "full"}) {
      names.push_back(fmt::format("attention.heads={},encoder_self.pattern={},last=one,seed=1",
                                  heads, pattern));
    }
  }
  EXPECT_EQ(names_of(plan), names);
  EXPECT_THAT(plan.runs[0].overrides,
              ElementsAre("cross.heads=[2, 1]", "attention.heads=[4, 2]",
                          "encoder_self.pattern=[[window 8], full]", "decoder_self.d_qk=[8, 16]"));
  EXPECT_EQ(plan.runs[0].config.model.encoder_self.heads.at(1), 2);
  EXPECT_EQ(plan.runs[3].config.model.encoder_self.heads.at(1), 4);
  const SweepPlan words = plan_of(config +
                                  "axes:\n"
                                  "  training.learning_rate: [1_0e-4, 0.5]\n"
                                  "  model.init_from: ['  runs/a ', null x, \"\"]\n"
                                  "  training.minutes: [~, 2]\n"
                                  "  training.epochs: [auto, 3]\n");
  ASSERT_EQ(words.runs.size(), 24U);
  for (const SweepPlan& one : {plan, words}) {
    for (const SweepRun& run : one.runs) {  // as `--set` with the same words
      EXPECT_EQ(dump_config(run.config),
                dump_config(load_config(one.config, run.overrides).config));
    }
  }
  // Quotes are removed unless YAML needs them; the text inside is unchanged.
  const SweepFile sweep = parse_sweep(
      config + "axes: {a.b: [[\"x, y\", 'null', \"\", \" z\", '[1]', '-2', 'it\"s: #5']]}\n",
      "a.yaml");
  const Override& value = sweep.axes[0].settings[0].values[0];
  EXPECT_EQ(value.text, R"(["x, y", "null", "", " z", "[1]", "-2", "it\"s: #5"])");
  std::vector<std::string> texts;
  for (const ConfigNode& item : value.value.items) {
    texts.push_back(item.text);
  }
  EXPECT_THAT(texts, ElementsAre("x, y", "null", "", " z", "[1]", "-2", "it\"s: #5"));
}

TEST(SweepPlan, an_empty_setting_leaves_the_config_as_it_is) {
  const SweepPlan plan = plan_of(config +
                                 "axes:\n  model.layers: [{}, 1]\n"
                                 "  size: {usual: {}, small: {model.d_ff: 32}}\n");
  ASSERT_EQ(plan.runs.size(), 4U);
  EXPECT_THAT(plan.cells[0], ElementsAre("as it is", "usual"));
  EXPECT_THAT(plan.runs[0].overrides, ElementsAre());
  EXPECT_EQ(dump_config(plan.runs[0].config), dump_config(plan_of(config).runs[0].config));
  EXPECT_THAT(plan.runs[3].overrides, ElementsAre("model.layers=1", "model.d_ff=32"));
  EXPECT_THAT(plan.runs[0].name, StartsWith("model.layers=as_it_is,size=usual,seed="));
  // An axis may change what is set in all other cells.
  const SweepPlan changed = plan_of(config +
                                    "set: {model.layers: 3, model.heads: 2}\n"
                                    "axes: {model.heads: [{}, 4]}\n");
  EXPECT_THAT(changed.runs[0].overrides, ElementsAre("model.layers=3", "model.heads=2"));
  EXPECT_THAT(changed.runs[1].overrides, ElementsAre("model.layers=3", "model.heads=4"));
  EXPECT_THAT(changed.notes,
              ElementsAre(AllOf(StartsWith("the axis model.heads changes model.heads"),
                                HasSubstr("the value in `set` counts"))));
  // Some cells of the two settings are equal and some are not, so both settings are needed.
  EXPECT_EQ(plan_of(config + "axes: {model.layers: [2, 3], model.encoder_layers: [2, auto]}\n")
                .cells.size(),
            4U);
}

// The text behind the config's line, and the beginning of the message behind "a.yaml:".
// configs/copy.yaml has model.layers 2, model.d_model 64 and model.d_ff 256.
TEST(SweepErrors, are_told_where_they_stand) {
  const std::vector<std::pair<std::string, std::string>> cases{
      // names
      {"axes:\n  model.layers: [1, 2]\n  model.haeds: [1, 2]\n",
       "4:3: model.haeds: unknown option; did you mean model.heads?"},
      {"axes:\n  heads: [1, 2]\n", "3:3: heads: unknown name; there is the option model.heads, "},
      {"axes: {trainig.steps: [1]}\n", "2:8: trainig.steps: unknown name; did you mean training?"},
      {"axes:\n  width:\n    small: {model.d_modle: 8}\n",
       "4:13: model.d_modle: unknown option; did you mean model.d_model?"},
      {"set: {model: 8}\n", "2:7: model: a section"},
      {"seed: 3\n", "2:1: seed: unknown name; did you mean seeds?"},
      {"heads: [figures, roles]\n",
       "2:18: heads: expected figures, importance or pruning, not roles"},
      {"show: loss\n", "2:7: show: expected a list of names of figures"},
      {"show: [cross.confidence, cross.largest]\n", "2:26: show: expected names of figures"},
      {"further_splits: [train, train]\n", "2:25: further_splits: expected names of splits"},
      {"axes: {model.heads: [1]}\nfurther_splits: [train, longr]\n",
       "3:25: further_splits: model.heads=1,seed=1 has no split longr; it has train, "
       "validation, test"},
      {"split: longer\n", "2:8: split: seed=1 has no"},
      {"metric: exactness\n", "2:9: metric: no such metric (exactness; there are loss, "},
      {"axes: {model.heads: [1, 2]}\nmetric: accuracy\n",
       "3:9: metric: accuracy is not measured in model.heads=1,seed=1 (allowed: loss, "
       "perplexity, token_accuracy, sequence_accuracy, bleu, chrf, rouge_l, token_f1, "
       "exact_match)"},
      {"metric: bits_per_byte\n",
       "2:9: metric: bits_per_byte is not measured in seed=1 (allowed: "},
      // values and lists
      {"axes:\n  model.heads: [1, two]\n",
       "3:20: model.heads: not a number (two; allowed: whole number, 1 to 1024)"},
      {"set: {training.steps: 0}\n", "2:23: training.steps: out of range"},
      {"axes:\n  model.heads: [1, [2, 4]]\n", "3:20: model.heads: "},
      {"axes:\n  attention.heads: [4, [4, two]]\n", "3:24: attention.heads: "},
      {"axes:\n  model.heads: [2, 3]\n", "3:20: model.heads: "},  // d_model 64
      {"axes: {model.heads: 2}\n", "2:21: model.heads: expected a list of values"},
      {"axes: {model.heads: []}\n", "2:21: model.heads: expected a list of values"},
      // Without a value, a misspelt option name would go unnoticed.
      {"axes: {model.haeds: [{}]}\n", "2:21: model.haeds: expected a list of values"},
      {"axes: {size: [{model.heads: 2}]}\n", "2:15: size: expected a value; several options"},
      {"axes: {model: {heads: [1, 2]}}\n", "2:23: heads: expected options and their values"},
      {"axes: [1]\n", "2:7: axes: expected options and their"},
      {"seeds: many\n", "2:8: seeds: not a number"},
      {"seeds: []\n", "2:8: seeds: expected a number of seeds"},
      // what is set twice
      {"axes:\n  model.heads: [1]\n  size:\n    a: {model.heads: 2}\n",
       "5:9: model.heads: already set by the axis model.heads"},
      {"axes: {model.heads: [1, 2, 1]}\n", "2:28: model.heads: 1 is in the list twice"},
      {"axes: {attention.heads: [[4, 2], [4, 2]]}\n",
       "2:34: attention.heads: [4, 2] is in the list twice"},
      {"axes: {model.layers: [{}, 1, {}]}\n", "2:30: model.layers: {} is in the list twice"},
      {"seeds: [2, 2]\n", "2:12: seeds: 2 is in the list twice"},
      {"axes: {seed: [1, 2]}\n", "2:8: seed: seeds have an entry of their own"},
      {"set: {model.heads: abc}\naxes: {model.heads: [1, 2]}\n",
       "3:8: model.heads: every setting of the axis has"},
      // settings that make the same configs, however they are written
      {"axes: {training.learning_rate: [0.001, 1e-3]}\n",
       "2:40: training.learning_rate: 1e-3 makes the same configs as 0.001"},
      {"axes: {training.minutes: [~, 2, auto]}\n",
       "2:33: training.minutes: auto makes the same configs as null"},
      {"axes: {attention.heads: [[1_6, 4], [16, 4]]}\n",
       "2:36: attention.heads: [16, 4] makes the same configs as [1_6, 4]"},
      {"axes:\n  rate:\n"
       "    small: {training.learning_rate: 1e-3, model.layers: 1}\n"
       "    large: {model.layers: 1, training.learning_rate: 0.001}\n",
       "5:27: model.layers: large makes the same configs as small"},
      {"axes: {model.layers: [2, {}]}\n", "2:26: model.layers: {} makes the same configs as 2"},
      {"axes: {model.encoder_layers: [2, auto]}\n",
       "2:34: model.encoder_layers: auto makes the same configs as 2"},
      {"axes:\n  model.heads: [1, 2]\n"
       "  size: {a: {model.d_ff: 256}, b: {model.d_model: 64}}\n",
       "4:51: model.d_model: b makes the same configs as a; "}};
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(error_of(config + text), StartsWith("a.yaml:" + message)) << text;
  }
}

TEST(SweepErrors, of_the_file_itself_and_of_two_runs_in_one_directory) {
  EXPECT_THAT(error_of(""), AllOf(StartsWith("a.yaml: empty; "), HasSubstr("{config: ")));
  EXPECT_THAT(error_of("seeds: 3\n"), StartsWith("a.yaml:1:1: config: missing"));
  EXPECT_THAT(error_of("config: " TAPEHEAD_SOURCE_DIR "/configs/copi.yaml\n"),
              AllOf(StartsWith("a.yaml:1:9: config: "), HasSubstr("no such file"),
                    HasSubstr("did you mean")));
  EXPECT_THAT(error_of(config + "axes: {model.init_from: [a/b, a_b]}\n"),
              AllOf(HasSubstr("model.init_from=a_b,seed=1 would belong to two runs"),
                    HasSubstr("short names of their own")));
  EXPECT_THAT(error_of(config + "axes: {model.init_from: [" + std::string(300, 'x') + "]}\n"),
              HasSubstr("too long a name"));
}

}}  // namespace tapehead
