// Presets: their values, options that override them, and runs with a preset that are stored and
// loaded again.
#include "tests/support/config_error.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

Config with_preset(const std::string& text, const std::vector<std::string>& set = {}) {
  return parse_config(text, "a.yaml", set).config;
}

// Vaswani et al. 2017, sections 3 and 5.4; table 3 has a d_ff of 2048 for d_model 512.
TEST(ConfigPresets, vaswani_is_the_papers_transformer) {
  expect_options(with_preset("model: {preset: vaswani}"),
                 {"model.norm: layer_norm", "model.norm_position: post", "model.activation: relu",
                  "model.d_model: 64", "model.d_ff: 256", "model.positions: sinusoidal",
                  "model.embedding_scale: sqrt_d_model", "model.tie_embeddings: all",
                  "model.initializer: xavier_uniform", "model.bias_attention: false",
                  "model.bias_feed_forward: true", "model.dropout_residual: 0.1",
                  "model.dropout_embedding: 0.1", "model.dropout_attention: 0",
                  "model.dropout_feed_forward: 0"});
}

// A decoder-only model has one embedding, which it ties to the output. With two vocabularies, the
// output is tied to the target embedding.
TEST(ConfigPresets, vaswani_ties_what_there_is) {
  for (const std::string text :
       {"model: {preset: vaswani, family: decoder}",
        "task: {name: parallel_text, train_tsv: a, validation_tsv: a, joint_vocabulary: false}\n"
        "model: {preset: vaswani}"}) {
    expect_options(with_preset(text), {"model.tie_embeddings: target_output"});
  }
}

// Radford et al. 2019, section 2.3, and their code.
TEST(ConfigPresets, gpt2_is_the_published_model) {
  expect_options(
      with_preset("model: {preset: gpt2, family: decoder}"),
      {"model.norm: layer_norm", "model.norm_position: pre", "model.norm_epsilon: 1.0e-05",
       "model.activation: gelu", "model.d_model: 64", "model.d_ff: 256", "model.positions: learned",
       "model.embedding_scale: none", "model.tie_embeddings: target_output",
       "model.initializer: normal", "model.initializer_depth_scale: true",
       "model.bias_attention: true", "model.bias_feed_forward: true", "model.bias_norm: true",
       "model.dropout_attention: 0.1"});
}

// Touvron et al. 2023, section 2.2, and their code. The width is 8/3 of 96.
TEST(ConfigPresets, llama_is_the_published_model) {
  expect_options(with_preset("model: {preset: llama, family: decoder, d_model: 96}"),
                 {"model.norm: rms_norm", "model.norm_position: pre", "model.norm_epsilon: 1.0e-05",
                  "model.feed_forward: gated", "model.activation: silu", "model.d_ff: 256",
                  "model.positions: none", "decoder_self.positions: rotary",
                  "decoder_self.rotary_pairs: halves", "decoder_self.rotary_base: 10000",
                  "model.embedding_scale: none", "model.tie_embeddings: none",
                  "model.initializer: normal", "model.bias_attention: false",
                  "model.bias_feed_forward: false", "model.dropout_attention: 0"});
}

// Devlin et al. 2019, appendix A.2, and their code: 3072 for d_model 768. It has no options of
// ALBERT (d_embedding, layer_groups).
TEST(ConfigPresets, bert_is_the_published_model) {
  const Config bert = with_preset("model: {preset: bert}");
  expect_options(
      bert,
      {"model.norm: layer_norm", "model.norm_position: post", "model.norm_epsilon: 1.0e-12",
       "model.activation: gelu", "model.d_model: 64", "model.d_ff: 256", "model.positions: learned",
       "model.token_types: 2", "model.embedding_norm: true", "model.embedding_scale: none"});
  expect_options(bert, {"model.initializer: normal", "model.bias_attention: true",
                        "model.bias_feed_forward: true", "model.bias_norm: true",
                        "model.dropout_embedding: 0.1", "model.dropout_attention: 0.1",
                        "model.dropout_residual: 0.1", "model.dropout_feed_forward: 0",
                        "model.d_embedding: auto", "model.layer_groups: auto"});
}

// run_pretraining.py: logits of masked tokens; run_classifier.py: logits of classes.
TEST(ConfigPresets, bert_has_the_output_head_of_the_task) {
  const std::string encoder = "model: {preset: bert, family: encoder}";
  expect_options(with_preset("task: {name: text, train_text: a, context: 24}\n" + encoder),
                 {"model.head_transform: masked", "model.tie_embeddings: target_output",
                  "model.bias_output: true"});
  expect_options(
      with_preset("task: {name: labelled_text, train_tsv: a}\n" + encoder),
      {"model.head_transform: pooler", "model.tie_embeddings: none", "model.bias_output: true"});
  expect_options(with_preset("model: {preset: bert}"),
                 {"model.head_transform: none", "model.tie_embeddings: none"});
}

TEST(ConfigPresets, what_is_set_wins) {
  const std::string text =
      "model: {activation: tanh, preset: llama, d_ff: 7, dropout: 0.2}\n"
      "attention: {positions: alibi}\n";
  expect_options(with_preset(text, {"model.norm=layer_norm", "model.bias_attention=true"}),
                 {"model.activation: tanh", "model.d_ff: 7", "model.dropout_attention: 0.2",
                  "model.norm: layer_norm", "model.bias_attention: true",
                  "encoder_self.positions: alibi", "model.feed_forward: gated"});
  expect_options(with_preset("model: {preset: gpt2}", {"model.preset=llama"}),
                 {"model.norm: rms_norm"});
}

TEST(ConfigPresets, origins_name_the_preset) {
  const std::string dump = dump_config_with_origins(
      parse_config("model: {preset: llama, activation: gelu}", "a.yaml", {"model.dropout=0.1"}));
  EXPECT_THAT(dump, ContainsRegex("  preset: llama +# a.yaml:1:17\n"));
  EXPECT_THAT(dump, ContainsRegex("  norm: rms_norm +# preset llama\n"));
  EXPECT_THAT(dump, ContainsRegex("  activation: gelu +# a.yaml:1:36\n"));
  EXPECT_THAT(dump, ContainsRegex("  dropout: 0.1 +# --set\n"));
  EXPECT_THAT(dump, ContainsRegex("  d_ff: 176 +# auto\n"));
  EXPECT_THAT(dump, ContainsRegex("  bias_norm: true +# default\n"));
}

// A stored config writes out every value, so the preset has nothing left to set.
TEST(ConfigPresets, of_a_stored_config_change_nothing) {
  for (const std::string preset : {"vaswani", "gpt2", "llama", "bert"}) {
    const Config config = with_preset("model: {preset: " + preset + ", dropout: 0.3}");
    const std::string stored = dump_config(config);
    EXPECT_THAT(stored, HasSubstr("\n  preset: " + preset + "\n"));
    const LoadedConfig again = parse_config(stored, "run/config.yaml");
    EXPECT_EQ(dump_config(again.config), stored);
    for (const auto& [option, origin] : again.origins) {
      EXPECT_THAT(origin, StartsWith("run/config.yaml:")) << option;
    }
  }
}

// The error points at the preset only if no other option of the violated rule is written.
TEST(ConfigPresets, a_value_that_does_not_fit_is_the_presets_fault) {
  expect_config_errors({
      {"model: {preset: llama, d_head: 5}", "1:32"},
      {"model: {bias_norm: false, preset: llama}", "1:20: model.bias_norm",
       "has no effect with model.norm rms_norm"},
  });
}

}}  // namespace tapehead
