// Options get the values in the config, and each value knows its origin.
#include "datasets/synthetic/symbols.hpp"
#include "datasets/text/parallel_options.hpp"
#include "tests/support/config_error.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

Config read(std::string_view text, const std::vector<std::string>& overrides = {}) {
  return parse_config(text, "a.yaml", overrides).config;
}

TEST(ConfigReader, options_of_every_type) {
  const Config config = read(R"(
seed: 18446744073709551615
task: {name: parallel_text, train_tsv: "a b.tsv", validation_tsv: 7.tsv, joint_vocabulary: no}
model:
  d_model: 1_28
  heads: "8"
  activation: gelu
  dropout_attention: 1e-1
  init_from: 12
training: {learning_rate: 5e-3, steps: 2e3, minutes: null}
evaluation:
  decode: ON
)");
  EXPECT_EQ(config.seed, 18446744073709551615U);
  EXPECT_EQ(config.training.learning_rate, 5e-3);
  expect_options(
      config,
      {"task.name: parallel_text", "task.train_tsv: \"a b.tsv\"", "task.validation_tsv: \"7.tsv\"",
       "task.joint_vocabulary: false", "model.d_model: 128", "model.heads: 8",
       "model.activation: gelu", "model.dropout_attention: 0.1", "model.init_from: \"12\"",
       "training.steps: 2000", "training.minutes: auto", "evaluation.decode: true"});
}

TEST(ConfigReader, a_list_of_texts_is_one_text_or_several_or_none) {
  const std::string data =
      "task: {name: parallel_text, train_tsv: a, validation_tsv: b, test_tsv: c, test_types: d, "
      "type_groups: ";
  const auto groups = [&](const std::string& value, const std::vector<std::string>& more = {}) {
    return read(data + value + "}", more).task.as<ParallelTextOptions>().type_groups;
  };
  EXPECT_THAT(groups("[]"), IsEmpty());
  EXPECT_THAT(groups("easy = a b"), ElementsAre("easy = a b"));
  EXPECT_THAT(groups("[easy = a b, 'hard = c']"), ElementsAre("easy = a b", "hard = c"));
  EXPECT_THAT(groups("[easy = a]", {"task.type_groups=[one = a, two = b]"}),
              ElementsAre("one = a", "two = b"));
  EXPECT_THAT(groups("[easy = a]", {"task.type_groups=two = b"}), ElementsAre("two = b"));
  expect_config_errors({
      {data + "[[easy = a]]}", "task.type_groups",
       "a single value ([[easy = a]]; allowed: list of texts)"},
      {data + "}", "task.type_groups", "has no value (null; allowed: list of texts)"},
  });
}

TEST(ConfigReader, whatever_is_left_out_has_its_default) {
  const Config config = read("task: {name: sort}\nmodel:\n  # d_model: 8\ntraining: {}\n");
  EXPECT_EQ(config.seed, Config{}.seed);
  EXPECT_EQ(config.model.d_model, ModelOptions{}.d_model);
  EXPECT_EQ(config.training.batch_tokens, TrainingOptions{}.batch_tokens);
  EXPECT_EQ(config.task.as<SyntheticOptions>().vocabulary, SyntheticOptions{}.vocabulary);
  // What the data decides stays absent.
  EXPECT_EQ(config.evaluation.every, std::nullopt);
  EXPECT_EQ(config.training.checkpoint_every, std::nullopt);
}

TEST(ConfigReader, auto_follows_the_other_options) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> followed{
      {"model: {d_model: 48, heads: 6, layers: 3, decoder_layers: 1, dropout: 0.25, "
       "dropout_residual: 0, d_ff: auto}",
       {"model.d_head: 8", "model.d_ff: 192", "model.encoder_layers: 3", "model.decoder_layers: 1",
        "model.dropout_embedding: 0.25", "model.dropout_attention: 0.25",
        "model.dropout_feed_forward: 0.25", "model.dropout_residual: 0"}},
      // A gated block has 2/3 of a plain block's width (Shazeer 2020, section 3): 8/3 · 48 = 128,
      // and 8/3 · 50 = 133.3 is rounded up to a multiple of 16.
      {"model: {d_model: 48, feed_forward: gated}", {"model.d_ff: 128"}},
      {"model: {d_model: 50, heads: 5, feed_forward: gated}", {"model.d_ff: 144"}},
      {"model: {feed_forward: gated, d_ff: 33}", {"model.d_ff: 33"}},
      {"model: {feed_forward: none}", {"model.d_ff: auto"}},
      // A run without limits gets ten epochs.
      {"seed: 1", {"training.epochs: 10", "training.steps: auto"}},
      {"training: {steps: 5}", {"training.epochs: auto"}},
      {"training: {minutes: 5}", {"training.epochs: auto"}},
      {"training: {epochs: 3}", {"training.epochs: 3"}},
      {"training: {batch_tokens: 4096}", {"training.shards: 4"}},
      {"training: {batch_tokens: 4096, shards: 1}", {"training.shards: 1"}},
  };
  for (const auto& [text, options] : followed) {
    SCOPED_TRACE(text);
    expect_options(read(text), options);
  }
  EXPECT_EQ(automatic_shards(1), 2);
  EXPECT_EQ(automatic_shards(3071), 2);
  EXPECT_EQ(automatic_shards(3072), 3);
  EXPECT_EQ(automatic_shards(1000000), 8);
}

// The order of sections and options does not matter.
TEST(ConfigReader, overrides_win_and_the_last_one_of_an_option_wins) {
  expect_options(read("model: {heads: 2}\ntask: {train_examples: 30, name: grammar_translation}\n"),
                 {"task.name: grammar_translation", "task.train_examples: 30"});
  expect_options(read("seed: 4\nmodel: {d_model: 32}\n",
                      {"model.d_model=16", "seed=5", "model.d_model = 64", "training.steps=null",
                       "model.init_from=runs/a=b c", "evaluation.every=7"}),
                 {"model.d_model: 64", "seed: 5", "training.steps: auto",
                  "model.init_from: \"runs/a=b c\"", "evaluation.every: 7"});
  expect_options(read("task: {vocabulary: 5}", {"task.max_length=3", "task.name=reverse"}),
                 {"task.name: reverse", "task.vocabulary: 5", "task.max_length: 3"});
  // An option that is written explicitly does not follow other options.
  expect_options(
      read("model: {d_model: 64, heads: 2, d_head: 32, dropout: 0.1, dropout_residual: 0.1}",
           {"model.heads=1", "model.dropout=0.5"}),
      {"model.d_head: 32", "decoder_self.d_qk: 32", "model.dropout_residual: 0.1",
       "model.dropout_embedding: 0.5"});
}

// A config as older versions stored it: without written.yaml, with every option written out.
std::string as_stored(std::string_view text) { return dump_config(read(text)); }

TEST(ConfigReader, an_override_without_effect_is_refused) {
  const std::string text =
      "encoder_self: {pattern: window 2}\ndecoder_self: {pattern: [causal]}\n"
      "attention: {heads: 2, pattern: window 3}";
  expect_config_errors({
      {text, "--set attention.pattern=window 1",
       "follow attention.pattern have values of their own (a.yaml:1:25: encoder_self.pattern, "
       "a.yaml:2:25: decoder_self.pattern); set these instead"},
      {text, "--set model.heads=8", "own (a.yaml:3:20: attention.heads); set"},
      {"model: {family: decoder, decoder_layers: 2}", "--set model.layers=1",
       "own (a.yaml:1:42: model.decoder_layers); set"},
      {text, "accepted", "", {"attention.pattern=window 3"}},  // as in the file
      {text, "accepted", "", {"model.heads=8", "attention.heads=8"}},
      {as_stored(text), "--set attention.pattern=window 1", ": encoder_self.pattern, "},
      {as_stored(text), "--set model.preset=llama", ": model.activation, "},

      // Options of `attention` replace these options of `model`, which do not follow them.
      {"model: {dropout_attention: 0.0}", "accepted", "", {"attention.dropout=0.0"}},
      {"model: {dropout: 0.2}", "accepted", "", {"attention.dropout=0.2"}},
      {"model: {heads: 2, d_model: 16}", "accepted", "", {"attention.heads=2"}},
      {"model: {d_head: 8, heads: 2, d_model: 16}",
       "accepted",
       "",
       {"attention.budget=fixed_head_dim"}},
      {"model: {heads: 2}\nencoder_self: {heads: 4}", "accepted", "", {"attention.heads=2"}},
      {as_stored("model: {dropout_attention: 0.0}"), "accepted", "", {"attention.dropout=0.0"}},
  });
  EXPECT_THAT(config_error(as_stored(text), {"model.dropout=0.5"}),
              ContainsRegex("own \\(a.yaml:[0-9]+:[0-9]+: model.dropout_embedding, .*; "
                            "set these instead"));
}

TEST(ConfigReader, windows_line_ends_and_a_byte_order_mark_change_nothing) {
  const LoadedConfig loaded =
      parse_config("\xEF\xBB\xBFseed: 9\r\nmodel:\r\n  d_model: 8\r\n", "a.yaml", {});
  EXPECT_EQ(loaded.config.seed, 9U);
  EXPECT_EQ(loaded.config.model.d_model, 8);
  EXPECT_EQ(loaded.origins.at("seed"), "a.yaml:1:7");
  EXPECT_EQ(loaded.origins.at("model.d_model"), "a.yaml:3:12");
}

}}  // namespace tapehead
