#include "train/gradcheck/tiny_config.hpp"

#include "nn/attention/spec.hpp"
#include "train/config/values.hpp"
#include "train/options/application.hpp"

namespace tapehead {

namespace {

constexpr Index head_width = 4;
constexpr Index other_width = 6;  // of values, if they are not as wide as keys
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
    stack.layers.push_back(
        mapped(kinds, [&](AttentionKind kind) { return attention_spec(model, kind, layer); }));
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

// The divisor that this attention requires of d_model: the number of heads if each has its own
// columns, times 2 if rotary positions rotate queries as wide as these columns.
Index divisor(const AttentionSpec& spec) {
  const bool sliced = spec.input == HeadInput::narrow || spec.combine == Combine::concatenate;
  // Whether the model's width determines the width of the values, and of the queries.
  const bool values = spec.combine != Combine::output || spec.sharing == Sharing::identity;
  const bool queries =
      (shares_value(spec.sharing) && values) || spec.sharing == Sharing::identity_query;
  return (sliced ? std::max<Index>(spec.heads, 1) : 1) *
         (spec.has(AttentionPositions::rotary) && queries ? 2 : 1);
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

// Gives the model the smallest width that fits the heads of all attentions and is at least the
// usual width. It is at most the model's own width, which is a multiple of every divisor.
void narrow(ModelOptions& model, const std::vector<Stack*>& stacks) {
  Index step = 1;
  for (const Stack* stack : stacks) {
    for (const AttentionSpec& spec : stack->layers | std::views::join) {
      step = std::lcm(step, divisor(spec));
    }
  }
  const Index wanted = std::min(model.d_model, model.heads * head_width);
  model.d_model = (wanted + step - 1) / step * step;
  model.d_head = std::min(*model.d_head, head_width);
  for (Stack* stack : stacks) {
    for (AttentionSpec& spec : stack->layers | std::views::join) {
      set_widths(spec, model.d_model);
    }
  }
}

void write(const Stack& encoder, const Stack& decoder, ModelOptions& model) {
  const auto is_cut = [&model](const Stack* stack) {
    return std::ssize(stack->layers) < attention_layers(model, stack->kinds.front());
  };
  const std::array stacks{&encoder, &decoder};
  const bool cut = std::ranges::any_of(stacks, is_cut);
  if (cut) {
    // Options of the section `attention` would have to match the remaining layers. The sections of
    // the attention kinds repeat them all, and an option that no attention uses would be rejected.
    const auto clear = [](const AttentionField& field, auto& option) {
      if (option.values.size() > 1 || field.decides_others || !field.positions.empty()) {
        option.values.clear();
      }
    };
    AttentionSettings::walk(clear, model.attention);
  }
  for (const Stack* stack : stacks) {
    for (std::size_t i = 0; i < stack->kinds.size(); ++i) {
      model.settings(stack->kinds[i]) = settings_of(mapped(stack->layers, [&](const auto& layer) {
        return cut ? without_unused(layer[i]) : layer[i];
      }));
    }
  }
  model.encoder_layers = std::ssize(encoder.layers);
  model.decoder_layers = std::ssize(decoder.layers);
}

// Whether the command line sets a width; then all widths stay.
bool widths_set(const IsSet& is_set) {
  for (const std::string section : {"attention", "encoder_self", "decoder_self", "cross"}) {
    if (is_set(section + ".d_qk") || is_set(section + ".d_v") || is_set(section + ".budget")) {
      return true;
    }
  }
  return is_set("model.d_model") || is_set("model.d_head");
}

// Reduces a model to few layers and narrow heads whose parts work together as before. The options
// are resolved before and after.
void shrink_model(ModelOptions& model, const IsSet& is_set) {
  using enum AttentionKind;
  Stack encoder = stack_of(model, {encoder_self});
  Stack decoder = stack_of(model, model.traits().has(cross) ? std::vector{decoder_self, cross}
                                                            : std::vector{decoder_self});
  // Fewer layers would be grouped differently if several groups share weights.
  const Index layer_groups = model.layer_groups.value_or(1);
  const bool keep =
      is_set("model.layers") ||
      (layer_groups > 1 && layer_groups < std::max(*model.encoder_layers, *model.decoder_layers));
  if (!keep && !is_set("model.encoder_layers")) {
    keep_one_of_each(encoder);
  }
  if (!keep && !is_set("model.decoder_layers")) {
    keep_one_of_each(decoder);
  }
  if (!widths_set(is_set)) {
    const Index before = model.d_model;
    narrow(model, {&encoder, &decoder});
    if (model.d_embedding && !is_set("model.d_embedding")) {
      // Stays narrower or wider than d_model.
      const Index most =
          *model.d_embedding < before ? std::max<Index>(1, model.d_model / 2) : model.d_model + 2;
      model.d_embedding = std::min(*model.d_embedding, most);
    }
  }
  if (model.d_ff && !is_set("model.d_ff")) {
    model.d_ff = std::min(*model.d_ff, 2 * model.d_model);
  }
  write(encoder, decoder, model);
  if (model.layer_groups) {
    model.layer_groups =
        std::min(*model.layer_groups, std::max(*model.encoder_layers, *model.decoder_layers));
  }
  model.init_from.clear();
}

// Limits the memory, and max_positions to 1024, or to the task's longest sequence if that is
// longer: the table could have a million rows.
void fit_lengths(Config& config, const IsSet& is_set) {
  constexpr Index usual = 1024;
  if (!is_set("training.memory")) {
    config.training.memory = std::min(config.training.memory, Shrinking::most_tokens);
  }
  if (!is_set("evaluation.memory") && config.evaluation.memory) {
    config.evaluation.memory = std::min(*config.evaluation.memory, Shrinking::most_tokens);
  }
  const Index marks = use_of(config).gives_entries() ? 1 : 2;
  const Index memory = std::max(config.training.memory, config.evaluation.memory.value_or(0));
  const Index needed = config.task.kind().longest(config.task).tokens + marks + memory;
  if (!is_set("model.max_positions")) {
    Index& positions = config.model.max_positions;
    positions = std::max(needed, std::min(positions, usual));
  }
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
  fit_lengths(config, is_set);
  config.training.freeze.clear();  // checks every gradient
  const auto gated = [](const AttentionSpec& spec) { return spec.gates == HeadGating::l0; };
  if (std::ranges::none_of(attention_specs(config.model), gated)) {
    const TrainingOptions defaults;
    config.training.gate_penalty = defaults.gate_penalty;
    config.training.gate_rate = defaults.gate_rate;
  }
  return config;
}

std::vector<std::string> changes(const LoadedConfig& from, const Config& to) {
  Config following = to;  // with all options that were `auto` computed again from the others
  for (const Section& section : sections(following)) {
    for (const Row& row : section.rows) {
      if (from.origins.at(full_name(section.name, row.field.name)) == "auto") {
        read_value(row, make_node(ConfigNode::Kind::null, {}));
      }
    }
  }
  resolve(following);
  const auto before = option_values(from.config);
  const auto after = option_values(to);
  const auto by_itself = option_values(following);
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
