// The values of options that a config does not set: those of its preset, and of each `auto` that
// other options determine.
#include "datasets/text/parallel_options.hpp"
#include "nn/attention/spec.hpp"
#include "train/config/config.hpp"
#include "train/config/rows.hpp"
#include "train/options/application.hpp"

namespace tapehead {

namespace {

// Whether source and target have one vocabulary, and an embedding each.
bool has_embeddings_of_one_vocabulary(const Config& config) {
  const auto* text = config.task.find<ParallelTextOptions>();
  return config.model.traits().context && (text == nullptr || text->joint_vocabulary);
}

// Vaswani et al. 2017. Norms after the residual sums: section 3.1; projections without biases:
// 3.2.2; feed-forward blocks with biases, and four times as wide as the model: 3.3; one matrix for
// both embeddings and the output, and embeddings times √d_model: 3.4; sines: 3.5; dropout on the
// blocks' outputs and on the embeddings alone: 5.4. The paper does not say how weights start.
std::vector<PresetValue> vaswani(const Config& config) {
  return {
      {"model.feed_forward", "plain"},
      {"model.activation", "relu"},
      {"model.norm", "layer_norm"},
      {"model.norm_position", "post"},
      {"model.bias_attention", "false"},
      {"model.bias_feed_forward", "true"},
      {"model.embedding_scale", "sqrt_d_model"},
      {"model.positions", "sinusoidal"},
      {"model.dropout", "0.1"},
      {"model.dropout_attention", "0"},
      {"model.dropout_feed_forward", "0"},
      {"model.tie_embeddings", has_embeddings_of_one_vocabulary(config) ? "all" : "target_output"},
      {"model.initializer", "xavier_uniform"}};
}

// Radford et al. 2019, section 2.3 (norms before the blocks, smaller last maps), and the published
// code (src/model.py: gelu in its tanh form, epsilon 1e-5, deviation 0.02, output tied to the
// embedding); dropout as in Radford et al. 2018, section 4.1.
std::vector<PresetValue> gpt2() {
  return {{"model.feed_forward", "plain"},
          {"model.activation", "gelu"},
          {"model.norm", "layer_norm"},
          {"model.norm_epsilon", "1e-5"},
          {"model.norm_position", "pre"},
          {"model.bias_attention", "true"},
          {"model.bias_feed_forward", "true"},
          {"model.embedding_scale", "none"},
          {"model.positions", "learned"},
          {"model.dropout", "0.1"},
          {"model.tie_embeddings", "target_output"},
          {"model.initializer", "normal"},
          {"model.initializer_depth_scale", "true"}};
}

// Touvron et al. 2023, section 2.2 (RMS norm before the blocks, SwiGLU of width 2/3 4 d, rotary
// positions), and the published code (llama/model.py: no biases, no dropout, epsilon 1e-5, an
// output of its own). Rotary pairs are halves, as in Hugging Face's checkpoints.
std::vector<PresetValue> llama() {
  return {{"model.feed_forward", "gated"},      {"model.activation", "silu"},
          {"model.norm", "rms_norm"},           {"model.norm_epsilon", "1e-5"},
          {"model.norm_position", "pre"},       {"model.bias_attention", "false"},
          {"model.bias_feed_forward", "false"}, {"model.embedding_scale", "none"},
          {"model.positions", "none"},          {"model.dropout", "0"},
          {"model.tie_embeddings", "none"},     {"model.initializer", "normal"},
          {"attention.positions", "rotary"},    {"attention.rotary_pairs", "halves"}};
}

// Devlin et al. 2019 and the published code (modeling.py: norms after the residual sums, epsilon
// 1e-12, gelu in its tanh form, learned positions, two token types, a norm of the embeddings,
// deviation 0.02; dropout of attention weights, blocks' outputs and embeddings, appendix A.2).
// Tokens of running text are predicted as in run_pretraining.py, behind a transform and with the
// table as the output layer; classes as in run_classifier.py, behind the pooler. Both output layers
// have a bias.
std::vector<PresetValue> bert(const Use& use) {
  std::vector<PresetValue> values{
      {"model.feed_forward", "plain"},     {"model.activation", "gelu"},
      {"model.norm", "layer_norm"},        {"model.norm_epsilon", "1e-12"},
      {"model.norm_position", "post"},     {"model.bias_attention", "true"},
      {"model.bias_feed_forward", "true"}, {"model.embedding_scale", "none"},
      {"model.positions", "learned"},      {"model.token_types", "2"},
      {"model.embedding_norm", "true"},    {"model.dropout", "0.1"},
      {"model.dropout_feed_forward", "0"}, {"model.initializer", "normal"}};
  if (use.windows) {
    values.insert(values.end(), {{"model.head_transform", "masked"},
                                 {"model.tie_embeddings", "target_output"},
                                 {"model.bias_output", "true"}});
  } else if (!use.gives_entries()) {
    values.insert(values.end(),
                  {{"model.head_transform", "pooler"}, {"model.bias_output", "true"}});
  }
  return values;
}

std::vector<PresetValue> values_of(const Config& config) {
  switch (config.model.preset) {
    case Preset::vaswani:
      return vaswani(config);
    case Preset::bert:
      return bert(use_of(config));
    case Preset::gpt2:
      return gpt2();
    case Preset::llama:
      return llama();
    default:
      return {};
  }
}

template <class Value>
void fill(std::optional<Value>& option, Value value) {
  if (!option) {
    option = value;
  }
}

// Of the options that layers do not see, those that follow, as attention_spec() and resolve() do
// it. An option of the section `attention` also leads that of each kind.
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

// Classes are no entries of the embedding, so the output layer cannot be tied to it.
std::vector<PresetValue> preset_values(const Config& config) {
  std::vector<PresetValue> values = values_of(config);
  std::erase_if(values, [&](const PresetValue& value) {
    return !use_of(config).gives_entries() && value.option == "model.tie_embeddings";
  });
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
  // One value for one meaning: `auto` is also that of weights from before these options.
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
