// Sets options that a config does not set: from its preset or, for `auto`, from other options.
#include "nn/attention/spec.hpp"
#include "train/config/config.hpp"
#include "train/config/rows.hpp"
#include "train/config/rules.hpp"
#include "train/options/application.hpp"

namespace tapehead {

namespace {

// The values that presets set: a column for each preset after `none`; empty: not set.
//
// vaswani: Vaswani et al. 2017. Section 3.1: norms after the residual sums. Section 3.2.2:
// projections without biases. Section 3.3: feed-forward blocks with biases, four times as wide as
// the model. Section 3.4: one matrix for both embeddings and the output; embeddings times √d_model.
// Section 3.5: sines. Section 5.4: dropout only on the blocks' outputs and the embeddings. The
// paper does not say how weights are initialised.
//
// gpt2: Radford et al. 2019, section 2.3: norms before the blocks, smaller last maps of the blocks.
// Published code (src/model.py): gelu in its tanh form, epsilon 1e-5, standard deviation 0.02,
// output tied to the embedding. Radford et al. 2018, section 4.1: dropout.
//
// llama: Touvron et al. 2023, section 2.2: RMS norm before the blocks, SwiGLU of width 2/3 4 d,
// rotary positions. Published code (llama/model.py): no biases, no dropout, epsilon 1e-5, an output
// layer that is not tied. Rotary pairs are halves, as in Hugging Face's checkpoints.
//
// bert: Devlin et al. 2019, appendix A.2: dropout of attention weights, blocks' outputs and
// embeddings. Published code (modeling.py): norms after the residual sums, epsilon 1e-12, gelu in
// its tanh form, learned positions, two token types, a norm of the embeddings, standard deviation
// 0.02.
struct PresetRow {
  std::string_view option;
  std::array<std::string_view, EnumNames<Preset>::names.size() - 1> values;
};
constexpr std::string_view tied_option = "model.tie_embeddings";
constexpr std::array preset_rows{
    PresetRow{"model.feed_forward", {"plain", "plain", "gated", "plain"}},
    PresetRow{"model.activation", {"relu", "gelu", "silu", "gelu"}},
    PresetRow{"model.norm", {"layer_norm", "layer_norm", "rms_norm", "layer_norm"}},
    PresetRow{"model.norm_epsilon", {"", "1e-5", "1e-5", "1e-12"}},
    PresetRow{"model.norm_position", {"post", "pre", "pre", "post"}},
    PresetRow{"model.bias_attention", {"false", "true", "false", "true"}},
    PresetRow{"model.bias_feed_forward", {"true", "true", "false", "true"}},
    PresetRow{"model.embedding_scale", {"sqrt_d_model", "none", "none", "none"}},
    PresetRow{"model.positions", {"sinusoidal", "learned", "none", "learned"}},
    PresetRow{"model.token_types", {"", "", "", "2"}},
    PresetRow{"model.embedding_norm", {"", "", "", "true"}},
    PresetRow{"model.dropout", {"0.1", "0.1", "0", "0.1"}},
    PresetRow{"model.dropout_attention", {"0", "", "", ""}},
    PresetRow{"model.dropout_feed_forward", {"0", "", "", "0"}},
    PresetRow{tied_option, {"target_output", "target_output", "none", ""}},
    PresetRow{"model.initializer", {"xavier_uniform", "normal", "normal", "normal"}},
    PresetRow{"model.initializer_depth_scale", {"", "true", "", ""}},
    PresetRow{"attention.positions", {"", "", "rotary", ""}},
    PresetRow{"attention.rotary_pairs", {"", "", "halves", ""}}};

void fill(auto& option, const auto& value) {
  if (!option) {
    option = value;
  }
}

// Pairs (leader, follower): attention_spec() or resolve() gives the leader's value to the follower.
// Layers do not read leaders. Each option of `attention` also leads the same option of each kind.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> follow{{
    {"model.heads", "model.d_head"},
    {"model.heads", "attention.heads"},
    {"model.d_head", "attention.d_qk"},
    {"model.d_head", "attention.d_v"},
    {"model.layers", "model.encoder_layers"},
    {"model.layers", "model.decoder_layers"},
    {"model.dropout", "model.dropout_embedding"},
    {"model.dropout", "model.dropout_attention"},
    {"model.dropout", "model.dropout_feed_forward"},
    {"model.dropout", "model.dropout_residual"},
    {"model.dropout_attention", "attention.dropout"},
    {"attention.budget", "attention.d_qk"},
    {"attention.budget", "attention.d_v"},
}};

}  // namespace

std::vector<PresetValue> preset_values(const Config& config) {
  const Preset preset = config.model.preset;
  if (preset == Preset::none) {
    return {};
  }
  const Use& use = use_of(config);
  const bool one_vocabulary = config.model.traits().context && !has_two_vocabularies(config);
  const bool ties_all = preset == Preset::vaswani && one_vocabulary;
  std::vector<PresetValue> values;
  for (const auto& [option, of_presets] : preset_rows) {
    const std::string_view value = of_presets[static_cast<std::size_t>(preset) - 1];
    // Classes are not entries of the embedding, so the output layer cannot be tied to it.
    if (!value.empty() && (option != tied_option || use.gives_entries())) {
      values.push_back({option, option == tied_option && ties_all ? "all" : value});
    }
  }
  // Running text (run_pretraining.py): a transform, and the embedding table as the output layer.
  // Classes (run_classifier.py): a pooler before the output layer. Both output layers have a bias.
  if (preset == Preset::bert && use.windows) {
    values.insert(values.end(), {{"model.head_transform", "masked"},
                                 {tied_option, "target_output"},
                                 {"model.bias_output", "true"}});
  } else if (preset == Preset::bert && !use.gives_entries()) {
    values.insert(values.end(),
                  {{"model.head_transform", "pooler"}, {"model.bias_output", "true"}});
  }
  return values;
}

std::vector<std::string> followers(const Config& config, std::string_view option) {
  std::vector<std::string> names;
  if (option == "model.preset") {
    Config each = config;
    for (std::size_t i = 0; i < EnumNames<Preset>::names.size(); ++i) {
      each.model.preset = static_cast<Preset>(i);
      for (const PresetValue& value : preset_values(each)) {
        names.emplace_back(value.option);
      }
    }
  }
  for (const auto& [leader, follower] : follow) {
    if (leader == option) {
      names.emplace_back(follower);
    }
  }
  constexpr std::string_view of_all = "attention.";
  if (option.starts_with(of_all)) {
    for (const std::string_view kind : attention_kind_names) {
      names.push_back(full_name(kind, option.substr(of_all.size())));
    }
  }
  return names;
}

Index automatic_shards(Index batch_tokens) { return std::clamp<Index>(batch_tokens / 1024, 2, 8); }

void resolve(Config& config) {
  ModelOptions& model = config.model;
  resolve_attention(model);  // first, because it checks whether d_head was given
  fill(model.d_head, std::max<Index>(model.d_model / model.heads, 1));
  fill(model.encoder_layers, model.layers_of(StackName::encoder));
  fill(model.decoder_layers, model.layers_of(StackName::decoder));
  // No factored embedding and no groups are always `auto`, as in weights from before these options.
  if (!model.factored_embedding()) {
    model.d_embedding.reset();
  }
  if (model.layer_groups >= most_layers(model)) {
    model.layer_groups.reset();
  }
  fill(model.dropout_embedding, model.dropout);
  fill(model.dropout_attention, model.dropout);
  fill(model.dropout_residual, model.dropout);
  if (model.feed_forward != FeedForwardKind::none) {
    fill(model.d_ff, model.feed_forward_width());
    fill(model.dropout_feed_forward, model.dropout);
  }
  TrainingOptions& training = config.training;
  if (!training.steps && !training.minutes) {
    fill(training.epochs, Index{10});
  }
  if (training.memory > 0) {
    fill(config.evaluation.memory, training.memory);
  }
  fill(training.shards, automatic_shards(training.batch_tokens));
}

}  // namespace tapehead
