// GPT-2 (Radford et al. 2019), as transformers' GPT2Model and GPT2LMHeadModel keep it. Its maps are
// stored as (in, out), and those of query, key and value side by side.
#include <fmt/format.h>

#include "train/interchange/architecture.hpp"

namespace tapehead {

namespace {

std::vector<std::string> gpt2_options(const TheirConfig& config) {
  config.expect("scale_attn_weights", true);
  config.expect("scale_attn_by_inverse_layer_idx", false);
  config.expect("add_cross_attention", false);
  config.expect("tie_word_embeddings", true);
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
          "model.activation=" + activation_of(config, "activation_function", "gelu_new")};
}

std::vector<TensorRow> gpt2_rows(const TheirConfig& config) {
  constexpr auto transposed = TensorRow::Form::transposed;
  std::vector<TensorRow> rows{{.ours = "target.embedding", .theirs = "wte.weight", .entries = true},
                              {.ours = "target.positions", .theirs = "wpe.weight"}};
  for (Index layer = 0; layer < config.count("n_layer"); ++layer) {
    const std::string ours = fmt::format("decoder.layers.{}.", layer);
    const std::string theirs = fmt::format("h.{}.", layer);
    append_norm(rows, ours + "self.norm", theirs + "ln_1");
    append_map(rows, ours + "self.query", theirs + "attn.c_attn", true, transposed, 0, 3);
    append_map(rows, ours + "self.key", theirs + "attn.c_attn", true, transposed, 1, 3);
    append_map(rows, ours + "self.value", theirs + "attn.c_attn", true, transposed, 2, 3);
    append_map(rows, ours + "self.output", theirs + "attn.c_proj", true, transposed);
    append_norm(rows, ours + "feed_forward.norm", theirs + "ln_2");
    append_map(rows, ours + "feed_forward.inner", theirs + "mlp.c_fc", true, transposed);
    append_map(rows, ours + "feed_forward.outer", theirs + "mlp.c_proj", true, transposed);
  }
  append_norm(rows, "decoder.norm", "ln_f");
  return rows;
}

// The triangles of old files, which say who sees whom.
bool is_gpt2_buffer(std::string_view name) {
  return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias");
}

std::vector<std::string> gpt2_tied(const TheirConfig& /*config*/) { return {"lm_head.weight"}; }

}  // namespace

const Architecture gpt2_architecture{.model_type = "gpt2",
                                     .optional_prefixes = {"transformer."},
                                     .options = gpt2_options,
                                     .rows = gpt2_rows,
                                     .left_out = is_gpt2_buffer,
                                     .tied = gpt2_tied};

}  // namespace tapehead
