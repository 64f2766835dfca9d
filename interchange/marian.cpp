// Marian (Junczys-Dowmunt et al. 2018), an encoder and decoder as in Vaswani et al. 2017, in the
// format of transformers' MarianMTModel. Its positions have all sines before all cosines; in our
// positions, sines and cosines alternate. So every axis of width d_model is permuted.

#include "interchange/architecture.hpp"

namespace tapehead {

namespace {

bool shares_tables(const TheirConfig& config) {
  return config.flag("share_encoder_decoder_embeddings", true);
}

std::string_view tying_of(const TheirConfig& config) {
  if (shares_tables(config)) {
    return output_is_table(config) ? "all" : "source_target";
  }
  return output_is_table(config) ? "target_output" : "none";
}

std::vector<std::string> marian_options(const TheirConfig& config) {
  config.expect("normalize_before", false);
  config.expect("normalize_embedding", false);
  config.expect("static_position_embeddings", true);
  const Index entries = config.count("vocab_size");
  if (!shares_tables(config) && config.count("decoder_vocab_size", entries) != entries) {
    config.refuse("decoder_vocab_size",
                  "must equal vocab_size: tables of different sizes are not supported");
  }
  const Index inner = config.count("encoder_ffn_dim");
  if (config.count("decoder_ffn_dim", inner) != inner) {
    config.refuse("decoder_ffn_dim",
                  "must equal encoder_ffn_dim: different widths are not supported");
  }
  return {"model.family=encoder_decoder",
          "model.preset=vaswani",
          fmt::format("model.d_model={}", config.count("d_model")),
          fmt::format("model.encoder_layers={}", config.count("encoder_layers")),
          fmt::format("model.decoder_layers={}", config.count("decoder_layers")),
          fmt::format("encoder_self.heads={}", config.count("encoder_attention_heads")),
          fmt::format("attention.heads={}", config.count("decoder_attention_heads")),
          fmt::format("model.d_ff={}", inner),
          fmt::format("model.max_positions={}", config.count("max_position_embeddings", 1024)),
          fmt::format("model.embedding_scale={}",
                      config.flag("scale_embedding", false) ? "sqrt_d_model" : "none"),
          "model.bias_attention=true",
          fmt::format("model.dropout={}", config.number("dropout", 0.1)),
          fmt::format("model.dropout_attention={}", config.number("attention_dropout", 0)),
          fmt::format("model.dropout_feed_forward={}", config.number("activation_dropout", 0)),
          fmt::format("model.tie_embeddings={}", tying_of(config)),
          "model.activation=" + activation_of(config, "activation_function", "gelu")};
}

Json marian_settings(const ModelOptions& ours) {
  const Index inner = std::max<Index>(1, ours.feed_forward_width());
  return {{"d_model", ours.d_model},
          {"encoder_layers", ours.encoder_layers.value_or(ours.layers)},
          {"decoder_layers", ours.decoder_layers.value_or(ours.layers)},
          {"encoder_attention_heads", ours.encoder_self.heads.at(0)},
          {"decoder_attention_heads", ours.decoder_self.heads.at(0)},
          {"encoder_ffn_dim", inner},
          {"decoder_ffn_dim", inner},
          {"max_position_embeddings", ours.max_positions},
          {"scale_embedding", ours.embedding_scale == EmbeddingScale::sqrt_d_model},
          {"static_position_embeddings", true},
          {"normalize_before", false},
          {"normalize_embedding", false},
          {"dropout", ours.dropout},
          {"attention_dropout", ours.dropout_attention.value_or(ours.dropout)},
          {"activation_dropout", ours.dropout_feed_forward.value_or(ours.dropout)},
          {"activation_function", their_activation(ours.activation)},
          {"share_encoder_decoder_embeddings", ties_source(ours.tie_embeddings)},
          {"tie_word_embeddings", ties_output(ours.tie_embeddings)}};
}

TensorRow table(const char* ours, const std::string& theirs, Entries entries) {
  return {.ours = ours, .theirs = theirs, .entries = entries, .columns_by_halves = true};
}

// A linear map whose input is rows of width d_model.
TensorRow from_rows(const std::string& ours, const std::string& theirs) {
  return {.ours = ours, .theirs = theirs, .columns_by_halves = true};
}

// A linear map to rows of width d_model, or their norm.
TensorRow to_rows(const std::string& ours, const std::string& theirs) {
  return {.ours = ours, .theirs = theirs, .rows_by_halves = true};
}

void append_attention(std::vector<TensorRow>& rows, const std::string& ours,
                      const std::string& theirs) {
  for (const std::string role : {"query", "key", "value"}) {
    append_map(rows, from_rows(ours + "." + role, theirs + "." + role.substr(0, 1) + "_proj"));
  }
  append_map(rows, to_rows(ours + ".output", theirs + ".out_proj"));
  append_map(rows, to_rows(ours + ".norm", theirs + "_layer_norm"));
}

void append_stack(std::vector<TensorRow>& rows, const std::string& stack, Index layers) {
  for (Index layer = 0; layer < layers; ++layer) {
    const std::string ours = fmt::format("{}.layers.{}.", stack, layer);
    const std::string theirs = "model." + ours;
    append_attention(rows, ours + "self", theirs + "self_attn");
    if (stack == "decoder") {
      append_attention(rows, ours + "cross", theirs + "encoder_attn");
    }
    append_map(rows, from_rows(ours + "feed_forward.inner", theirs + "fc1"));
    append_map(rows, to_rows(ours + "feed_forward.outer", theirs + "fc2"));
    append_map(rows, to_rows(ours + "feed_forward.norm", theirs + "final_layer_norm"));
  }
}

const char* target_table(const TheirConfig& config) {
  return shares_tables(config) ? "model.shared.weight" : "model.decoder.embed_tokens.weight";
}

std::vector<TensorRow> marian_rows(const TheirConfig& config) {
  std::vector<TensorRow> rows;
  if (shares_tables(config)) {
    rows.push_back(table("target.embedding", target_table(config), Entries::source));
  } else {
    rows.push_back(table("target.embedding", target_table(config), Entries::target));
    rows.push_back(table("source.embedding", "model.encoder.embed_tokens.weight", Entries::source));
  }
  if (!output_is_table(config)) {
    rows.push_back(table("output.weight", "lm_head.weight", Entries::target));
  }
  rows.push_back({.ours = "output.bias",
                  .theirs = "final_logits_bias",
                  .form = TensorRow::Form::one_row,
                  .entries = Entries::target});
  append_stack(rows, "encoder", config.count("encoder_layers"));
  append_stack(rows, "decoder", config.count("decoder_layers"));
  return rows;
}

std::vector<TiedTensor> marian_tied(const TheirConfig& config) {
  const char* original = target_table(config);
  std::vector<TiedTensor> tied = tied_output(config, original);
  if (shares_tables(config)) {
    tied.push_back({"encoder.embed_tokens.weight", original});
    tied.push_back({"decoder.embed_tokens.weight", original});
  }
  return tied;
}

}  // namespace

const Architecture marian_architecture{.name = "Marian",
                                       .model_type = "marian",
                                       .optional_prefix = "model.",
                                       .classes = {"MarianMTModel"},
                                       .options = marian_options,
                                       .settings = marian_settings,
                                       .rows = marian_rows,
                                       .left_out = {"*.embed_positions.weight"},
                                       .tied = marian_tied};

}  // namespace tapehead
