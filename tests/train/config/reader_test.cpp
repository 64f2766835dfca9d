// Options get the values in the config, and each value knows its origin.
#include "datasets/synthetic/symbols.hpp"
#include "datasets/text/parallel_options.hpp"
#include "tests/support/config_error.hpp"
#include "tests/support/task_option.hpp"
#include "tests/support/testing.hpp"
#include "train/config/config.hpp"

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
  EXPECT_EQ(config.task.kind().name, "parallel_text");
  const auto& text = config.task.as<ParallelTextOptions>();
  EXPECT_EQ(text.train_tsv, "a b.tsv");
  EXPECT_EQ(text.validation_tsv, "7.tsv");
  EXPECT_FALSE(text.joint_vocabulary);
  EXPECT_EQ(config.model.d_model, 128);
  EXPECT_EQ(config.model.heads, 8);
  EXPECT_EQ(config.model.activation, Activation::gelu);
  EXPECT_EQ(config.model.dropout_attention, 0.1);
  EXPECT_EQ(config.model.init_from, "12");
  EXPECT_EQ(config.training.learning_rate, 5e-3);
  EXPECT_EQ(config.training.steps, 2000);
  EXPECT_EQ(config.training.minutes, std::nullopt);
  EXPECT_TRUE(config.evaluation.decode);
}

TEST(ConfigReader, a_list_of_texts_is_one_text_or_several_or_none) {
  const std::string data =
      "task: {name: parallel_text, train_tsv: a, validation_tsv: b, test_tsv: c, test_types: d, ";
  const auto groups = [&](const std::string& value, const std::vector<std::string>& more = {}) {
    return read(data + "type_groups: " + value + "}", more)
        .task.as<ParallelTextOptions>()
        .type_groups;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(groups("[]"), Texts());
  EXPECT_EQ(groups("easy = a b"), Texts{"easy = a b"});
  EXPECT_EQ(groups("[easy = a b, 'hard = c']"), (Texts{"easy = a b", "hard = c"}));
  EXPECT_EQ(groups("[easy = a]", {"task.type_groups=[one = a, two = b]"}),
            (Texts{"one = a", "two = b"}));
  EXPECT_EQ(groups("[easy = a]", {"task.type_groups=two = b"}), Texts{"two = b"});
  EXPECT_THAT(config_error(data + "type_groups: [[easy = a]]}"),
              HasSubstr("task.type_groups: a list of values that are none ([[easy = "
                        "a]]; allowed: list of texts)"));
  EXPECT_THAT(config_error(data + "type_groups: }"),
              HasSubstr("task.type_groups: has no value (null; allowed: list of texts)"));
}

TEST(ConfigReader, whatever_is_left_out_has_its_default) {
  const Config config = read("task: {name: sort}\nmodel:\n  # d_model: 8\ntraining: {}\n");
  EXPECT_EQ(config.seed, Config{}.seed);
  EXPECT_EQ(config.model.d_model, ModelOptions{}.d_model);
  EXPECT_EQ(config.training.batch_tokens, TrainingOptions{}.batch_tokens);
  EXPECT_EQ(config.task.as<SyntheticOptions>().vocabulary, SyntheticOptions{}.vocabulary);
}

TEST(ConfigReader, the_order_of_sections_and_options_does_not_matter) {
  Config config =
      read("model: {heads: 2}\ntask: {train_examples: 30, name: grammar_translation}\n");
  EXPECT_EQ(config.task.kind().name, "grammar_translation");
  EXPECT_EQ(task_option(config.task, "train_examples"), 30);
}

TEST(ConfigReader, auto_follows_the_other_options) {
  const ModelOptions model =
      read(
          "model: {d_model: 48, heads: 6, layers: 3, decoder_layers: 1, dropout: 0.25, "
          "dropout_residual: 0, d_ff: auto}")
          .model;
  EXPECT_EQ(model.d_head, 8);
  EXPECT_EQ(model.d_ff, 192);
  EXPECT_EQ(model.encoder_layers, 3);
  EXPECT_EQ(model.decoder_layers, 1);
  EXPECT_EQ(model.dropout_embedding, 0.25);
  EXPECT_EQ(model.dropout_attention, 0.25);
  EXPECT_EQ(model.dropout_feed_forward, 0.25);
  EXPECT_EQ(model.dropout_residual, 0.0);
}

// A gated block has 2/3 of a plain block's width (Shazeer 2020, section 3): 8/3 · 48 = 128, and 8/3
// · 50 = 133.3 is rounded up to a multiple of 16.
TEST(ConfigReader, the_inner_width_follows_the_feed_forward_block) {
  EXPECT_EQ(read("model: {d_model: 48, feed_forward: gated}").model.d_ff, 128);
  EXPECT_EQ(read("model: {d_model: 50, heads: 5, feed_forward: gated}").model.d_ff, 144);
  EXPECT_EQ(read("model: {feed_forward: gated, d_ff: 33}").model.d_ff, 33);
  EXPECT_EQ(read("model: {feed_forward: none}").model.d_ff, std::nullopt);
}

TEST(ConfigReader, a_run_without_limits_gets_ten_epochs) {
  EXPECT_EQ(read("seed: 1").training.epochs, 10);
  EXPECT_EQ(read("training: {steps: 5}").training.epochs, std::nullopt);
  EXPECT_EQ(read("training: {minutes: 5}").training.epochs, std::nullopt);
  EXPECT_EQ(read("training: {epochs: 3}").training.epochs, 3);
  EXPECT_EQ(read("seed: 1").training.steps, std::nullopt);
}

TEST(ConfigReader, what_the_data_decides_stays_absent) {
  const Config config = read("seed: 1");
  EXPECT_EQ(config.evaluation.every, std::nullopt);
  EXPECT_EQ(config.training.checkpoint_every, std::nullopt);
}

TEST(ConfigReader, shards_follow_the_batch) {
  EXPECT_EQ(automatic_shards(1), 2);
  EXPECT_EQ(automatic_shards(3071), 2);
  EXPECT_EQ(automatic_shards(3072), 3);
  EXPECT_EQ(automatic_shards(1000000), 8);
  EXPECT_EQ(read("training: {batch_tokens: 4096}").training.shards, 4);
  EXPECT_EQ(read("training: {batch_tokens: 4096, shards: 1}").training.shards, 1);
}

TEST(ConfigReader, overrides_win_and_the_last_one_of_an_option_wins) {
  const Config config =
      read("seed: 4\nmodel: {d_model: 32}\n",
           {"model.d_model=16", "seed=5", "model.d_model = 64", "training.steps=null",
            "model.init_from=runs/a=b c", "evaluation.every=7"});
  EXPECT_EQ(config.model.d_model, 64);
  EXPECT_EQ(config.seed, 5U);
  EXPECT_EQ(config.training.steps, std::nullopt);
  EXPECT_EQ(config.model.init_from, "runs/a=b c");
  EXPECT_EQ(config.evaluation.every, 7);
}

TEST(ConfigReader, an_override_can_change_the_task) {
  const Config config = read("task: {vocabulary: 5}", {"task.max_length=3", "task.name=reverse"});
  EXPECT_EQ(config.task.kind().name, "reverse");
  EXPECT_EQ(config.task.as<SyntheticOptions>().vocabulary, 5);
  EXPECT_EQ(config.task.as<SyntheticOptions>().max_length, 3);
}

// A config as older versions stored it: without written.yaml, with every option written out.
std::string as_stored(std::string_view text) { return dump_config(read(text)); }

// An option that is written explicitly does not follow other options.
TEST(ConfigReader, an_option_that_is_written_among_others_stays) {
  const ModelOptions model =
      read("model: {d_model: 64, heads: 2, d_head: 32, dropout: 0.1, dropout_residual: 0.1}",
           {"model.heads=1", "model.dropout=0.5"})
          .model;
  EXPECT_EQ(model.d_head, 32);
  EXPECT_EQ(model.decoder_self.d_qk.at(0), 32);
  EXPECT_EQ(model.dropout_residual, 0.1);
  EXPECT_EQ(model.dropout_embedding, 0.5);
}

TEST(ConfigReader, an_override_without_effect_is_refused) {
  const std::string text =
      "encoder_self: {pattern: window 2}\ndecoder_self: {pattern: [causal]}\n"
      "attention: {heads: 2, pattern: window 3}";
  EXPECT_EQ(config_error(text, {"attention.pattern=window 1"}),
            "--set attention.pattern=window 1: has no effect, because the options that would "
            "follow attention.pattern have values of their own (a.yaml:1:25: "
            "encoder_self.pattern, a.yaml:2:25: decoder_self.pattern); set these instead");
  EXPECT_THAT(config_error(text, {"model.heads=8"}),
              HasSubstr("own (a.yaml:3:20: attention.heads); set"));
  EXPECT_THAT(config_error("model: {family: decoder, decoder_layers: 2}", {"model.layers=1"}),
              HasSubstr("own (a.yaml:1:42: model.decoder_layers); set"));
  EXPECT_EQ(config_error(text, {"attention.pattern=window 3"}), "accepted");  // as in the file
  EXPECT_EQ(config_error(text, {"model.heads=8", "attention.heads=8"}), "accepted");
  EXPECT_THAT(config_error(as_stored(text), {"attention.pattern=window 1"}),
              HasSubstr(": encoder_self.pattern, "));
  EXPECT_THAT(config_error(as_stored(text), {"model.dropout=0.5"}),
              ContainsRegex("own \\(a.yaml:[0-9]+:[0-9]+: model.dropout_embedding, .*; "
                            "set these instead"));
  EXPECT_THAT(config_error(as_stored(text), {"model.preset=llama"}),
              HasSubstr(": model.activation, "));
}

// Options of `attention` replace these options of `model`, which do not follow them.
TEST(ConfigReader, an_override_may_repeat_what_it_would_follow) {
  EXPECT_EQ(config_error("model: {dropout_attention: 0.0}", {"attention.dropout=0.0"}), "accepted");
  EXPECT_EQ(config_error("model: {dropout: 0.2}", {"attention.dropout=0.2"}), "accepted");
  EXPECT_EQ(config_error("model: {heads: 2, d_model: 16}", {"attention.heads=2"}), "accepted");
  EXPECT_EQ(config_error("model: {d_head: 8, heads: 2, d_model: 16}",
                         {"attention.budget=fixed_head_dim"}),
            "accepted");
  EXPECT_EQ(config_error("model: {heads: 2}\nencoder_self: {heads: 4}", {"attention.heads=2"}),
            "accepted");
  EXPECT_EQ(config_error(as_stored("model: {dropout_attention: 0.0}"), {"attention.dropout=0.0"}),
            "accepted");
}

TEST(ConfigReader, origins) {
  const LoadedConfig loaded = parse_config("model:\n  d_model: 32\n  heads:   2\nseed: 3\n",
                                           "configs/a.yaml", {"training.warmup=3"});
  EXPECT_EQ(loaded.origins.at("model.d_model"), "configs/a.yaml:2:12");
  EXPECT_EQ(loaded.origins.at("model.heads"), "configs/a.yaml:3:12");
  EXPECT_EQ(loaded.origins.at("seed"), "configs/a.yaml:4:7");
  EXPECT_EQ(loaded.origins.at("training.warmup"), "--set");
  EXPECT_EQ(loaded.origins.at("model.d_head"), "auto");
  EXPECT_EQ(loaded.origins.at("training.shards"), "auto");
  EXPECT_EQ(loaded.origins.at("training.steps"), "default");
  EXPECT_EQ(loaded.origins.at("task.name"), "default");
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
