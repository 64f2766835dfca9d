// GPT-2 (Radford et al. 2019), as transformers' GPT2LMHeadModel and GPT2ForSequenceClassification
// keep it. Its maps are stored as (in, out), and those of query, key and value side by side.
#include <algorithm>

#include <fmt/format.h>

#include "interchange/architecture.hpp"

namespace tapehead {

namespace {

std::vector<std::string> gpt2_options(const TheirConfig& config) {
  config.expect("scale_attn_weights", true);
  config.expect("scale_attn_by_inverse_layer_idx", false);
  config.expect("add_cross_attention", false);
  const Index width = config.count("n_embd");
  return {"model.family=decoder",
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
          fmt::format("model.tie_embeddings={}",
                      output_is_table(config, true) ? "target_output" : "none"),
          "model.activation=" + activation_of(config, "activation_function", "gelu_new")};
}

nlohmann::ordered_json gpt2_settings(const ModelOptions& ours) {
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
    append_norm(rows, ours + "self.norm", theirs + "ln_1");
    append_map(rows, ours + "self.query", theirs + "attn.c_attn", true, transposed, 0, 3);
    append_map(rows, ours + "self.key", theirs + "attn.c_attn", true, transposed, 1, 3);
    append_map(rows, ours + "self.value", theirs + "attn.c_attn", true, transposed, 2, 3);
    append_map(rows, ours + "self.output", theirs + "attn.c_proj", true, transposed);
    append_norm(rows, ours + "feed_forward.norm", theirs + "ln_2");
    append_map(rows, ours + "feed_forward.inner", theirs + "mlp.c_fc", true, transposed);
    append_map(rows, ours + "feed_forward.outer", theirs + "mlp.c_proj", true, transposed);
  }
  append_norm(rows, "decoder.norm", "transformer.ln_f");
  append_decoder_head(rows, config, output_is_table(config, true));
  return rows;
}

// The triangles of old files, which say who sees whom.
bool is_gpt2_buffer(std::string_view name) {
  return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias");
}

}  // namespace

const Architecture gpt2_architecture{
    .model_type = "gpt2",
    .optional_prefixes = {"transformer."},
    .classes = {"GPT2LMHeadModel", "GPT2ForSequenceClassification"},
    .options = gpt2_options,
    .settings = gpt2_settings,
    .rows = gpt2_rows,
    .left_out = is_gpt2_buffer,
    .tied = [](const TheirConfig& config) {
      return tied_output(config, true, "transformer.wte.weight");
    }};

}  // namespace tapehead
