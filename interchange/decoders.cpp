// Decoders of other programs, GPT-2 and Llama, in the format of transformers' classes.

#include "interchange/architecture.hpp"

namespace tapehead {

namespace {

// Adds the output layer: for classes, predicted from a sequence's last row, `score`; for tokens
// `lm_head`, unless it is tied to the token table.
void append_decoder_head(std::vector<TensorRow>& rows, const TheirConfig& config) {
  if (purpose_of(config) == Purpose::classes) {
    rows.push_back({.ours = "output.weight", .theirs = "score.weight"});
  } else if (!output_is_table(config)) {
    rows.push_back(
        {.ours = "output.weight", .theirs = "lm_head.weight", .entries = Entries::target});
  }
}

// GPT-2 (Radford et al. 2019), in the format of transformers' GPT2LMHeadModel and
// GPT2ForSequenceClassification: maps are (in, out); query, key and value are side by side in one.

std::vector<std::string> gpt2_options(const TheirConfig& config) {
  config.expect("scale_attn_weights", true);
  config.expect("scale_attn_by_inverse_layer_idx", false);
  config.expect("add_cross_attention", false);
  const Index width = config.count("n_embd");
  return {
      "model.family=decoder",
      "model.preset=gpt2",
      fmt::format("model.d_model={}", width),
      fmt::format("model.layers={}", config.count("n_layer")),
      fmt::format("model.heads={}", config.count("n_head")),
      fmt::format("model.d_ff={}", config.count("n_inner", 4 * width)),
      fmt::format("model.max_positions={}", config.count("n_positions")),
      fmt::format("model.norm_epsilon={}", config.number("layer_norm_epsilon", 1e-5)),
      fmt::format("model.dropout={}", config.number("resid_pdrop", 0.1)),
      fmt::format("model.dropout_attention={}", config.number("attn_pdrop", 0.1)),
      fmt::format("model.dropout_embedding={}", config.number("embd_pdrop", 0.1)),
      "model.dropout_feed_forward=0",
      fmt::format("model.tie_embeddings={}", output_is_table(config) ? "target_output" : "none"),
      "model.activation=" + activation_of(config, "activation_function", "gelu_new")};
}

Json gpt2_settings(const ModelOptions& ours) {
  return {{"n_embd", ours.d_model},
          {"n_layer", ours.decoder_layers.value_or(ours.layers)},
          {"n_head", ours.decoder_self.heads.at(0)},
          {"n_inner", std::max<Index>(1, ours.feed_forward_width())},
          {"n_positions", ours.max_positions},
          {"n_ctx", ours.max_positions},
          {"layer_norm_epsilon", ours.norm_epsilon},
          {"resid_pdrop", ours.dropout_residual.value_or(ours.dropout)},
          {"attn_pdrop", ours.dropout_attention.value_or(ours.dropout)},
          {"embd_pdrop", ours.dropout_embedding.value_or(ours.dropout)},
          {"activation_function", their_activation(ours.activation)},
          {"tie_word_embeddings", ties_output(ours.tie_embeddings)}};
}

std::vector<TensorRow> gpt2_rows(const TheirConfig& config) {
  constexpr auto transposed = TensorRow::Form::transposed;
  std::vector<TensorRow> rows{
      {.ours = "target.embedding", .theirs = "transformer.wte.weight", .entries = Entries::source},
      {.ours = "target.positions", .theirs = "transformer.wpe.weight"}};
  for (Index layer = 0; layer < config.count("n_layer"); ++layer) {
    const std::string ours = fmt::format("decoder.layers.{}.", layer);
    const std::string theirs = fmt::format("transformer.h.{}.", layer);
    append_map(rows, {ours + "self.norm", theirs + "ln_1"});
    append_map(rows, {ours + "self.query", theirs + "attn.c_attn", transposed, 0, 3});
    append_map(rows, {ours + "self.key", theirs + "attn.c_attn", transposed, 1, 3});
    append_map(rows, {ours + "self.value", theirs + "attn.c_attn", transposed, 2, 3});
    append_map(rows, {ours + "self.output", theirs + "attn.c_proj", transposed});
    append_map(rows, {ours + "feed_forward.norm", theirs + "ln_2"});
    append_map(rows, {ours + "feed_forward.inner", theirs + "mlp.c_fc", transposed});
    append_map(rows, {ours + "feed_forward.outer", theirs + "mlp.c_proj", transposed});
  }
  append_map(rows, {"decoder.norm", "transformer.ln_f"});
  append_decoder_head(rows, config);
  return rows;
}

// Llama (Touvron et al. 2023), in the format of transformers' LlamaForCausalLM and
// LlamaForSequenceClassification: a rotary pair takes one column from each half of a head.

void expect_plain_rotation(const TheirConfig& config) {
  for (const char* setting : {"rope_scaling", "rope_parameters"}) {
    const TheirConfig rotation = config.group(setting);
    const char* const kind = rotation.has("rope_type") ? "rope_type" : "type";
    const std::string type = rotation.text(kind, "default");
    if (type != "default") {
      rotation.refuse(kind, fmt::format("tapehead has no rotation of type \"{}\"", type));
    }
    rotation.expect("factor", 1);
    rotation.expect("partial_rotary_factor", 1);
  }
  config.expect("partial_rotary_factor", 1);
}

std::vector<std::string> llama_options(const TheirConfig& config) {
  expect_plain_rotation(config);
  const Index width = config.count("hidden_size");
  const Index heads = config.count("num_attention_heads");
  const Index head_width = config.count("head_dim", width / heads);
  // `rope_theta` is a top-level setting in older files; newer ones have it in `rope_parameters`.
  const TheirConfig rotation = config.group("rope_parameters");
  return {
      "model.family=decoder",
      "model.preset=llama",
      fmt::format("model.d_model={}", width),
      fmt::format("model.layers={}", config.count("num_hidden_layers")),
      fmt::format("model.heads={}", heads),
      fmt::format("model.d_ff={}", config.count("intermediate_size")),
      fmt::format("model.max_positions={}", config.count("max_position_embeddings", 2048)),
      fmt::format("model.norm_epsilon={}", config.number("rms_norm_eps", 1e-6)),
      fmt::format("model.bias_attention={}", config.flag("attention_bias", false)),
      fmt::format("model.bias_feed_forward={}", config.flag("mlp_bias", false)),
      fmt::format("model.tie_embeddings={}", output_is_table(config) ? "target_output" : "none"),
      fmt::format("model.dropout_attention={}", config.number("attention_dropout", 0)),
      "model.activation=" + activation_of(config, "hidden_act", "silu"),
      fmt::format("attention.kv_heads={}", config.count("num_key_value_heads", heads)),
      fmt::format("attention.d_qk={}", head_width),
      fmt::format("attention.d_v={}", head_width),
      fmt::format("attention.rotary_base={}",
                  rotation.number("rope_theta", config.number("rope_theta", 10000)))};
}

Json llama_settings(const ModelOptions& ours) {
  const AttentionSettings& self = ours.decoder_self;
  return {{"hidden_size", ours.d_model},
          {"num_hidden_layers", ours.decoder_layers.value_or(ours.layers)},
          {"num_attention_heads", self.heads.at(0)},
          {"num_key_value_heads", self.kv_heads.at(0)},
          {"head_dim", self.d_qk.at(0)},
          {"intermediate_size", std::max<Index>(1, ours.feed_forward_width())},
          {"max_position_embeddings", ours.max_positions},
          {"rms_norm_eps", ours.norm_epsilon},
          {"attention_bias", ours.bias_attention},
          {"mlp_bias", ours.bias_feed_forward},
          {"attention_dropout", ours.dropout_attention.value_or(ours.dropout)},
          {"hidden_act", their_activation(ours.activation)},
          {"rope_theta", self.rotary_base.at(0)},
          {"tie_word_embeddings", ties_output(ours.tie_embeddings)}};
}

std::vector<TensorRow> llama_rows(const TheirConfig& config) {
  const bool bias_attention = config.flag("attention_bias", false);
  const bool bias_feed_forward = config.flag("mlp_bias", false);
  std::vector<TensorRow> rows{{.ours = "target.embedding",
                               .theirs = "model.embed_tokens.weight",
                               .entries = Entries::source}};
  for (Index layer = 0; layer < config.count("num_hidden_layers"); ++layer) {
    const std::string ours = fmt::format("decoder.layers.{}.", layer);
    const std::string theirs = fmt::format("model.layers.{}.", layer);
    append_map(rows, {ours + "self.norm", theirs + "input_layernorm"}, false);
    append_map(rows, {ours + "self.query", theirs + "self_attn.q_proj"}, bias_attention);
    append_map(rows, {ours + "self.key", theirs + "self_attn.k_proj"}, bias_attention);
    append_map(rows, {ours + "self.value", theirs + "self_attn.v_proj"}, bias_attention);
    append_map(rows, {ours + "self.output", theirs + "self_attn.o_proj"}, bias_attention);
    append_map(rows, {ours + "feed_forward.norm", theirs + "post_attention_layernorm"}, false);
    append_map(rows, {ours + "feed_forward.gate", theirs + "mlp.gate_proj"}, bias_feed_forward);
    append_map(rows, {ours + "feed_forward.inner", theirs + "mlp.up_proj"}, bias_feed_forward);
    append_map(rows, {ours + "feed_forward.outer", theirs + "mlp.down_proj"}, bias_feed_forward);
  }
  append_map(rows, {"decoder.norm", "model.norm"}, false);
  append_decoder_head(rows, config);
  return rows;
}

}  // namespace

const Architecture gpt2_architecture{
    .name = "GPT-2",
    .model_type = "gpt2",
    .optional_prefix = "transformer.",
    .classes = {"GPT2LMHeadModel", "GPT2ForSequenceClassification"},
    .padding = end_id,
    .options = gpt2_options,
    .settings = gpt2_settings,
    .rows = gpt2_rows,
    .left_out = {"*.attn.bias", "*.attn.masked_bias"},  // causal masks, which old files contain
    .tied = [](const TheirConfig& config) {
      return tied_output(config, "transformer.wte.weight");
    }};

const Architecture llama_architecture{
    .name = "Llama",
    .model_type = "llama",
    .optional_prefix = "model.",
    .classes = {"LlamaForCausalLM", "LlamaForSequenceClassification"},
    .padding = end_id,
    .usually_tied = false,
    .options = llama_options,
    .settings = llama_settings,
    .rows = llama_rows,
    .left_out = {"*rotary_emb.inv_freq"},
    .tied = [](const TheirConfig& config) {
      return tied_output(config, "model.embed_tokens.weight");
    }};

}  // namespace tapehead
