#include "train/gradcheck/tiny_config.hpp"

#include "datasets/task_kind.hpp"
#include "nn/attention/spec.hpp"
#include "train/config/rows.hpp"
#include "train/config/values.hpp"
#include "train/options/application.hpp"

namespace tapehead {

namespace {

constexpr Index head_width = 4;
constexpr Index other_width = 6;  // of values, if it differs from that of keys
constexpr Index alike_layers = 2;
constexpr Index most_layers = 8;

// The attentions of a stack's layers: two in each layer that also reads a context, otherwise one.
struct Stack {
  std::vector<AttentionKind> kinds;
  std::vector<std::vector<AttentionSpec>> layers;
};

Stack stack_of(const ModelOptions& model, const std::vector<AttentionKind>& kinds) {
  Stack stack{.kinds = kinds, .layers = {}};
  for (Index layer = 0; layer < attention_layers(model, kinds.front()); ++layer) {
    std::vector<AttentionSpec>& attentions = stack.layers.emplace_back();
    for (const AttentionKind kind : kinds) {
      attentions.push_back(attention_spec(model, kind, layer));
    }
  }
  return stack;
}

// Keeps one of each kind of layer; if only one layer would remain, two.
void keep_one_of_each(Stack& stack) {
  std::vector<std::vector<AttentionSpec>> kept;
  for (const std::vector<AttentionSpec>& layer : stack.layers) {
    if (std::ssize(kept) < most_layers && std::ranges::find(kept, layer) == kept.end()) {
      kept.push_back(layer);
    }
  }
  const Index least = std::min<Index>(alike_layers, std::ssize(stack.layers));
  while (std::ssize(kept) < least) {
    kept.push_back(kept.back());
  }
  stack.layers = std::move(kept);
}

bool has_slices(const AttentionSpec& spec) {
  return spec.input == HeadInput::narrow || spec.combine == Combine::concatenate;
}

// Whether the model's width determines the width of the values.
bool follows_model(const AttentionSpec& spec) {
  return spec.combine != Combine::output || spec.sharing == Sharing::identity;
}

// The divisor that this attention requires of d_model: the number of heads if each has its own
// columns, times 2 if rotary positions rotate queries as wide as these columns.
Index divisor(const AttentionSpec& spec) {
  const Index slices = has_slices(spec) ? std::max<Index>(spec.heads, 1) : 1;
  const bool by_model = (shares_value(spec.sharing) && follows_model(spec)) ||
                        spec.sharing == Sharing::identity_query;
  const bool pairs = spec.has(AttentionPositions::rotary) && by_model;
  return slices * (pairs ? 2 : 1);
}

void set_widths(AttentionSpec& spec, Index d_model) {
  const Index slice = d_model / std::max<Index>(spec.heads, 1);
  Index d_v = std::min(spec.d_v, spec.d_v == spec.d_qk ? head_width : other_width);
  if (spec.sharing == Sharing::identity) {
    d_v = spec.input == HeadInput::narrow ? slice : d_model;
  } else if (spec.combine == Combine::concatenate) {
    d_v = slice;
  } else if (spec.combine != Combine::output) {
    d_v = d_model;
  }
  if (spec.sharing == Sharing::identity_query) {
    spec.d_qk = spec.input == HeadInput::narrow ? slice : d_model;
  } else {
    spec.d_qk = shares_value(spec.sharing) ? d_v : std::min(spec.d_qk, head_width);
  }
  spec.d_v = d_v;
  spec.d_model = d_model;
}

// The smallest width that fits the heads of all attentions and is at least the usual width. It is
// at most the model's own width, which is a multiple of every divisor.
Index small_width(const ModelOptions& model, const std::vector<Stack*>& stacks) {
  Index step = 1;
  for (const Stack* stack : stacks) {
    for (const AttentionSpec& spec : stack->layers | std::views::join) {
      step = std::lcm(step, divisor(spec));
    }
  }
  const Index wanted = std::min(model.d_model, model.heads * head_width);
  return (wanted + step - 1) / step * step;
}

void narrow(ModelOptions& model, const std::vector<Stack*>& stacks) {
  model.d_model = small_width(model, stacks);
  model.d_head = std::min(*model.d_head, head_width);
  for (Stack* stack : stacks) {
    for (AttentionSpec& spec : stack->layers | std::views::join) {
      set_widths(spec, model.d_model);
    }
  }
}

// Clears options of the section `attention` that would have to match the remaining layers. The
// sections of the attention kinds repeat them all, and an option that no attention uses would be
// rejected.
void clear_for_all(AttentionSettings& attention) {
  attention.fields([](const AttentionField& field, auto& option) {
    if (option.values.size() > 1 || field.decides_others || !field.positions.empty()) {
      option.values.clear();
    }
  });
}

// Whether layers form several groups of shared weights: fewer layers would be grouped differently.
bool has_groups(const ModelOptions& model) {
  const Index groups = model.layer_groups.value_or(1);
  return groups > 1 && groups < std::max(*model.encoder_layers, *model.decoder_layers);
}

// Stays narrower or wider than d_model, as in the original config.
Index small_embedding(Index d_embedding, Index former_d_model, Index d_model) {
  return d_embedding < former_d_model ? std::min(d_embedding, std::max<Index>(1, d_model / 2))
                                      : std::min(d_embedding, d_model + 2);
}

bool is_cut(const Stack& stack, const ModelOptions& model) {
  return std::ssize(stack.layers) < attention_layers(model, stack.kinds.front());
}

void write(const Stack& stack, bool cut, ModelOptions& model) {
  for (std::size_t i = 0; i < stack.kinds.size(); ++i) {
    std::vector<AttentionSpec> specs;
    for (const auto& layer : stack.layers) {
      specs.push_back(cut ? without_unused(layer[i]) : layer[i]);
    }
    model.settings(stack.kinds[i]) = settings_of(specs);
  }
}

bool any_set(const IsSet& is_set, const std::vector<std::string>& options) {
  return std::ranges::any_of(options, is_set);
}

// Whether the command line sets a width; then all widths stay.
bool widths_set(const IsSet& is_set) {
  for (const std::string section : {"attention", "encoder_self", "decoder_self", "cross"}) {
    if (any_set(is_set, {section + ".d_qk", section + ".d_v", section + ".budget"})) {
      return true;
    }
  }
  return any_set(is_set, {"model.d_model", "model.d_head"});
}

// Reduces a model to few layers and narrow heads whose parts work together as before. The options
// are resolved before and after.
void shrink_model(ModelOptions& model, const IsSet& is_set) {
  using enum AttentionKind;
  Stack encoder = stack_of(model, {encoder_self});
  Stack decoder = stack_of(model, model.traits().has(cross) ? std::vector{decoder_self, cross}
                                                            : std::vector{decoder_self});
  const bool groups = has_groups(model);
  if (!groups && !any_set(is_set, {"model.layers", "model.encoder_layers"})) {
    keep_one_of_each(encoder);
  }
  if (!groups && !any_set(is_set, {"model.layers", "model.decoder_layers"})) {
    keep_one_of_each(decoder);
  }
  if (!widths_set(is_set)) {
    const Index before = model.d_model;
    narrow(model, {&encoder, &decoder});
    if (model.d_embedding && !is_set("model.d_embedding")) {
      model.d_embedding = small_embedding(*model.d_embedding, before, model.d_model);
    }
  }
  if (model.d_ff && !is_set("model.d_ff")) {
    model.d_ff = std::min(*model.d_ff, 2 * model.d_model);
  }
  const bool cut = is_cut(encoder, model) || is_cut(decoder, model);
  if (cut) {
    clear_for_all(model.attention);
  }
  write(encoder, cut, model);
  write(decoder, cut, model);
  model.encoder_layers = std::ssize(encoder.layers);
  model.decoder_layers = std::ssize(decoder.layers);
  if (model.layer_groups) {
    model.layer_groups =
        std::min(*model.layer_groups, std::max(*model.encoder_layers, *model.decoder_layers));
  }
  model.init_from.clear();
}

bool has_gates(const ModelOptions& model) {
  return std::ranges::any_of(attention_kinds, [&](AttentionKind kind) {
    const auto& gates = model.settings(kind).gates.values;
    return std::ranges::find(gates, HeadGating::l0) != gates.end();
  });
}

// Limits max_positions to 1024, or to the task's longest sequence if that is longer: the table
// could have a million rows.
void fit_positions(Config& config, const IsSet& is_set) {
  constexpr Index usual = 1024;
  const Index marks = use_of(config).gives_entries() ? 1 : 2;
  const Index memory = std::max(config.training.memory, config.evaluation.memory.value_or(0));
  const Index needed = config.task.kind().longest(config.task).tokens + marks + memory;
  if (!is_set("model.max_positions")) {
    Index& positions = config.model.max_positions;
    positions = std::max(needed, std::min(positions, usual));
  }
}

void shrink_memory(Config& config, const IsSet& is_set) {
  if (!is_set("training.memory")) {
    config.training.memory = std::min(config.training.memory, Shrinking::most_tokens);
  }
  if (!is_set("evaluation.memory") && config.evaluation.memory) {
    config.evaluation.memory = std::min(*config.evaluation.memory, Shrinking::most_tokens);
  }
}

// Recomputes all options that were `auto` from the other options.
Config following(Config config, const std::map<std::string, std::string>& origins) {
  for (const Section& section : sections(config)) {
    for (const Row& row : section.rows) {
      if (origins.at(full_name(section.name, row.field.name)) == "auto") {
        read_value(row, make_node(ConfigNode::Kind::null, {}));
      }
    }
  }
  resolve(config);
  return config;
}

}  // namespace

Config tiny_config(const LoadedConfig& loaded) {
  const IsSet is_set = [&](std::string_view option) {
    const auto origin = loaded.origins.find(std::string(option));
    return origin != loaded.origins.end() && origin->second == "--set";
  };
  Config config = loaded.config;
  const Index most = is_set("model.max_positions") ? config.model.max_positions - 1 : 1000;
  config.task.kind().shrink(config.task, {.is_set = is_set, .most_characters = most});
  shrink_model(config.model, is_set);
  shrink_memory(config, is_set);
  fit_positions(config, is_set);
  config.training.freeze.clear();  // checks every gradient
  if (!has_gates(config.model)) {
    const TrainingOptions defaults;
    config.training.gate_penalty = defaults.gate_penalty;
    config.training.gate_rate = defaults.gate_rate;
  }
  return config;
}

std::vector<std::string> changes(const LoadedConfig& from, const Config& to) {
  const auto before = option_values(from.config);
  const auto after = option_values(to);
  const auto by_itself = option_values(following(to, from.origins));
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto& [option, value] = after[i];
    if (value != before[i].second &&
        (from.origins.at(option) != "auto" || value != by_itself[i].second)) {
      changed.push_back(fmt::format("{}={}", option, value));
    }
  }
  return changed;
}

}  // namespace tapehead
