// Resolves a config: sets each `auto` that other options determine.

#include "nn/attention/spec.hpp"
#include "train/config/config.hpp"
#include "train/config/rows.hpp"

namespace tapehead {
namespace {

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
