// Presets: their values, options that override them, and runs with a preset that are stored and
// loaded again.
#include "tests/support/config_error.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

LoadedConfig loaded_preset(const std::string& text, const std::vector<std::string>& set = {}) {
  return parse_config(text, "a.yaml", set);
}

// Vaswani et al. 2017, sections 3 and 5.4.
TEST(ConfigPresets, vaswani_is_the_papers_transformer) {
  const ModelOptions model = loaded_preset("model: {preset: vaswani}").config.model;
  EXPECT_EQ(model.norm, NormKind::layer_norm);
  EXPECT_EQ(model.norm_position, NormPosition::post);
  EXPECT_EQ(model.activation, Activation::relu);
  EXPECT_EQ(model.d_ff, 4 * model.d_model);  // table 3: 2048 for d_model 512
  EXPECT_EQ(model.positions, PositionKind::sinusoidal);
  EXPECT_EQ(model.embedding_scale, EmbeddingScale::sqrt_d_model);
  EXPECT_EQ(model.tie_embeddings, Tying::all);
  EXPECT_EQ(model.initializer, InitKind::xavier_uniform);
  EXPECT_FALSE(model.bias_attention);
  EXPECT_TRUE(model.bias_feed_forward);
  EXPECT_EQ(model.dropout_residual, 0.1);
  EXPECT_EQ(model.dropout_embedding, 0.1);
  EXPECT_EQ(model.dropout_attention, 0.0);
  EXPECT_EQ(model.dropout_feed_forward, 0.0);
}

// A decoder-only model has one embedding, which it ties to the output. With two vocabularies, the
// output is tied to the target embedding.
TEST(ConfigPresets, vaswani_ties_what_there_is) {
  EXPECT_EQ(loaded_preset("model: {preset: vaswani, family: decoder}").config.model.tie_embeddings,
            Tying::target_output);
  EXPECT_EQ(loaded_preset("task: {name: parallel_text, train_tsv: a, validation_tsv: a, "
                          "joint_vocabulary: false}\nmodel: {preset: vaswani}")
                .config.model.tie_embeddings,
            Tying::target_output);
}

// Radford et al. 2019, section 2.3, and their code.
TEST(ConfigPresets, gpt2_is_the_published_model) {
  const ModelOptions model = loaded_preset("model: {preset: gpt2, family: decoder}").config.model;
  EXPECT_EQ(model.norm, NormKind::layer_norm);
  EXPECT_EQ(model.norm_position, NormPosition::pre);
  EXPECT_EQ(model.norm_epsilon, 1e-5);
  EXPECT_EQ(model.activation, Activation::gelu);
  EXPECT_EQ(model.d_ff, 4 * model.d_model);
  EXPECT_EQ(model.positions, PositionKind::learned);
  EXPECT_EQ(model.embedding_scale, EmbeddingScale::none);
  EXPECT_EQ(model.tie_embeddings, Tying::target_output);
  EXPECT_EQ(model.initializer, InitKind::normal);
  EXPECT_TRUE(model.initializer_depth_scale);
  EXPECT_TRUE(model.bias_attention && model.bias_feed_forward && model.bias_norm);
  EXPECT_EQ(model.dropout_attention, 0.1);
}

// Touvron et al. 2023, section 2.2, and their code.
TEST(ConfigPresets, llama_is_the_published_model) {
  const ModelOptions model =
      loaded_preset("model: {preset: llama, family: decoder, d_model: 96}").config.model;
  EXPECT_EQ(model.norm, NormKind::rms_norm);
  EXPECT_EQ(model.norm_position, NormPosition::pre);
  EXPECT_EQ(model.norm_epsilon, 1e-5);
  EXPECT_EQ(model.feed_forward, FeedForwardKind::gated);
  EXPECT_EQ(model.activation, Activation::silu);
  EXPECT_EQ(model.d_ff, 256);  // 8/3 · 96
  EXPECT_EQ(model.positions, PositionKind::none);
  EXPECT_EQ(model.decoder_self.positions.at(1), AttentionPositions::rotary);
  EXPECT_EQ(model.decoder_self.rotary_pairs.at(1), RotaryPairs::halves);
  EXPECT_EQ(model.decoder_self.rotary_base.at(1), 10000);
  EXPECT_EQ(model.embedding_scale, EmbeddingScale::none);
  EXPECT_EQ(model.tie_embeddings, Tying::none);
  EXPECT_EQ(model.initializer, InitKind::normal);
  EXPECT_FALSE(model.bias_attention || model.bias_feed_forward);
  EXPECT_EQ(model.dropout_attention, 0.0);
}

// Devlin et al. 2019, appendix A.2, and their code.
TEST(ConfigPresets, bert_is_the_published_model) {
  const ModelOptions model = loaded_preset("model: {preset: bert}").config.model;
  EXPECT_EQ(model.norm, NormKind::layer_norm);
  EXPECT_EQ(model.norm_position, NormPosition::post);
  EXPECT_EQ(model.norm_epsilon, 1e-12);
  EXPECT_EQ(model.activation, Activation::gelu);
  EXPECT_EQ(model.d_ff, 4 * model.d_model);  // 3072 for d_model 768
  EXPECT_EQ(model.positions, PositionKind::learned);
  EXPECT_EQ(model.token_types, 2);
  EXPECT_TRUE(model.embedding_norm);
  EXPECT_EQ(model.embedding_scale, EmbeddingScale::none);
  EXPECT_EQ(model.initializer, InitKind::normal);
  EXPECT_TRUE(model.bias_attention && model.bias_feed_forward && model.bias_norm);
  EXPECT_EQ(model.dropout_embedding, 0.1);
  EXPECT_EQ(model.dropout_attention, 0.1);
  EXPECT_EQ(model.dropout_residual, 0.1);
  EXPECT_EQ(model.dropout_feed_forward, 0.0);
  EXPECT_FALSE(model.d_embedding || model.layer_groups);  // options of ALBERT
}

// run_pretraining.py: logits of masked tokens; run_classifier.py: logits of classes.
TEST(ConfigPresets, bert_has_the_output_head_of_the_task) {
  const ModelOptions text = loaded_preset(
                                "task: {name: text, train_text: a, context: 24}\n"
                                "model: {preset: bert, family: encoder}")
                                .config.model;
  EXPECT_EQ(text.head_transform, HeadTransform::masked);
  EXPECT_EQ(text.tie_embeddings, Tying::target_output);
  EXPECT_TRUE(text.bias_output);
  const ModelOptions classes =
      loaded_preset(
          "task: {name: labelled_text, train_tsv: a}\nmodel: {preset: bert, family: encoder}")
          .config.model;
  EXPECT_EQ(classes.head_transform, HeadTransform::pooler);
  EXPECT_EQ(classes.tie_embeddings, Tying::none);
  EXPECT_TRUE(classes.bias_output);
  const ModelOptions pairs = loaded_preset("model: {preset: bert}").config.model;
  EXPECT_EQ(pairs.head_transform, HeadTransform::none);
  EXPECT_EQ(pairs.tie_embeddings, Tying::none);
}

TEST(ConfigPresets, what_is_set_wins) {
  const LoadedConfig loaded = loaded_preset(
      "model: {activation: tanh, preset: llama, d_ff: 7, dropout: 0.2}\n"
      "attention: {positions: alibi}\n",
      {"model.norm=layer_norm", "model.bias_attention=true"});
  const ModelOptions& model = loaded.config.model;
  EXPECT_EQ(model.activation, Activation::tanh);
  EXPECT_EQ(model.d_ff, 7);
  EXPECT_EQ(model.dropout_attention, 0.2);
  EXPECT_EQ(model.norm, NormKind::layer_norm);
  EXPECT_TRUE(model.bias_attention);
  EXPECT_EQ(model.encoder_self.positions.at(0), AttentionPositions::alibi);
  EXPECT_EQ(model.feed_forward, FeedForwardKind::gated);  // from the preset
}

TEST(ConfigPresets, the_command_line_can_choose_one) {
  EXPECT_EQ(loaded_preset("model: {preset: gpt2}", {"model.preset=llama"}).config.model.norm,
            NormKind::rms_norm);
}

TEST(ConfigPresets, origins_name_the_preset) {
  const std::string dump = dump_config_with_origins(
      loaded_preset("model: {preset: llama, activation: gelu}", {"model.dropout=0.1"}));
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
    const Config config = loaded_preset("model: {preset: " + preset + ", dropout: 0.3}").config;
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
  EXPECT_THAT(config_error("model: {preset: llama, d_head: 5}"), StartsWith("a.yaml:1:32: "));
  EXPECT_THAT(config_error("model: {bias_norm: false, preset: llama}"),
              StartsWith("a.yaml:1:20: model.bias_norm: has no effect with model.norm rms_norm"));
}

}}  // namespace tapehead
