#include "train/pytorch/transformer_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

#include "core/text.hpp"
#include "nn/init.hpp"
#include "train/pytorch/attention_arguments.hpp"
#include "train/pytorch/parts.hpp"
#include "train/pytorch/python_text.hpp"

namespace tapehead {

namespace {

std::string layer_class(const ModelOptions& options, StackName stack) {
  if (options.family != Family::encoder_decoder) {
    return "Layer";
  }
  return stack == StackName::encoder ? "EncoderLayer" : "DecoderLayer";
}

// The attentions of a stack's layers, in the order of a layer's arguments.
std::vector<AttentionKind> kinds_of(const ModelOptions& options, StackName stack) {
  if (stack == StackName::encoder) {
    return {AttentionKind::encoder_self};
  }
  return options.family == Family::encoder_decoder
             ? std::vector{AttentionKind::decoder_self, AttentionKind::cross}
             : std::vector{AttentionKind::decoder_self};
}

AttentionKind self_kind(StackName stack) {
  return stack == StackName::encoder ? AttentionKind::encoder_self : AttentionKind::decoder_self;
}

Expression layer_call(const ModelOptions& options, const std::vector<AttentionClass>& classes,
                      StackName stack, Index layer) {
  Expression call{.open = layer_class(options, stack) + "(", .close = ")"};
  for (const AttentionKind kind : kinds_of(options, stack)) {
    const AttentionSpec spec = attention_spec(options, kind, layer);
    call.items.push_back(attention_call(class_of(classes, spec), spec));
  }
  return call;
}

std::vector<Expression> layer_calls(const ModelOptions& options,
                                    const std::vector<AttentionClass>& classes, StackName stack) {
  std::vector<Expression> calls;
  for (Index layer = 0; layer < attention_layers(options, self_kind(stack)); ++layer) {
    calls.push_back(layer_call(options, classes, stack, layer));
  }
  return calls;
}

// One object of Python: a layer that runs `times` times in succession, since the layers of a group
// share their weights.
struct LayerObject {
  Index first;
  Index times;
};

std::vector<LayerObject> layer_objects(const ModelOptions& options,
                                       const std::vector<Expression>& calls) {
  const auto call_of = [&](Index layer) { return calls[static_cast<std::size_t>(layer)]; };
  const Index layers = std::ssize(calls);
  std::vector<LayerObject> objects;
  for (Index layer = 0; layer < layers; ++layer) {
    const Index first = options.first_of_group(layer, layers);
    if (first < layer && objects.back().first == first && call_of(layer) == call_of(first)) {
      ++objects.back().times;
    } else {
      objects.push_back({.first = layer, .times = 1});
    }
  }
  return objects;
}

// [Layer(...) for _ in range(2)], [Layer(...)] * 2 for one layer that runs twice, or a list.
Expression layer_list(const ModelOptions& options, const std::vector<Expression>& calls) {
  const std::vector<LayerObject> objects = layer_objects(options, calls);
  Expression list{.open = "[", .items = {}, .close = "]"};
  const bool alike = std::ranges::adjacent_find(calls, std::not_equal_to()) == calls.end();
  if (calls.size() > 1 && alike && objects.size() == calls.size()) {
    list.items = {calls.front()};
    list.after = fmt::format("for _ in range({})", calls.size());
    return list;
  }
  for (const LayerObject& object : objects) {
    const Expression& call = calls[static_cast<std::size_t>(object.first)];
    const std::string repeated = fmt::format("] * {}", object.times);
    if (objects.size() == 1 && object.times > 1) {
      return {.open = "[", .items = {call}, .close = repeated};
    }
    list.items.push_back(
        object.times == 1 ? call : Expression{.open = "*[", .items = {call}, .close = repeated});
  }
  return list;
}

std::string layers_of(const ModelOptions& options, const std::vector<AttentionClass>& classes,
                      StackName stack) {
  constexpr std::size_t column = std::string_view("self.encoder = Stack(").size();
  const std::vector<Expression> calls = layer_calls(options, classes, stack);
  return text_of(layer_list(options, calls), columns_in_constructor, column);
}

std::string member(StackName stack, Index layer) {
  return fmt::format("self.{}.layers[{}]", name_of(stack), layer);
}

// Layers of a group that are objects of their own, since their patterns differ, share weights.
void append_group_sharing(const ModelOptions& options, const std::vector<AttentionClass>& classes,
                          StackName stack, std::vector<std::string>& lines) {
  const std::vector<Expression> calls = layer_calls(options, classes, stack);
  for (const LayerObject& object : layer_objects(options, calls)) {
    const Index first = options.first_of_group(object.first, std::ssize(calls));
    if (first == object.first) {
      continue;
    }
    const auto share = [&](const char* part) {
      lines.push_back(fmt::format("share([{}.{}, {}.{}])", member(stack, first), part,
                                  member(stack, object.first), part));
    };
    for (const AttentionKind kind : kinds_of(options, stack)) {
      share(kind == AttentionKind::cross ? "cross" : "self");
    }
    if (options.feed_forward != FeedForwardKind::none) {
      share("feed_forward");
    }
  }
}

// Attentions with one name share all weights but their norms.
void append_named_sharing(const ModelOptions& options, std::vector<std::string>& lines) {
  std::map<std::string, std::vector<std::string>> named;
  for (const AttentionKind kind : attention_kinds) {
    for (Index layer = 0; layer < attention_layers(options, kind); ++layer) {
      const std::string name = attention_spec(options, kind, layer).shared_as;
      if (!name.empty()) {
        const AttentionSite site{.kind = kind, .layer = layer};
        named[name].push_back(member(site.stack(), layer) + (site.is_self() ? ".self" : ".cross"));
      }
    }
  }
  if (!named.empty()) {
    lines.push_back("self.shared = nn.Module()");
  }
  for (const auto& [name, blocks] : named) {
    Expression list{.open = "shared = share([", .close = "], apart=[\"norm\"])"};
    for (const std::string& block : blocks) {
      list.items.push_back({.open = block});
    }
    lines.push_back(text_of(list, columns_in_constructor, 0));
    const char* function = name.find('.') == std::string::npos ? "setattr" : "put";
    lines.push_back(fmt::format("{}(self.shared, {}, shared)", function, python_string(name)));
  }
}

}  // namespace

std::string transformer_source(const ModelOptions& options,
                               const std::vector<AttentionClass>& classes,
                               const PartValues& model) {
  PartValues values = model;
  values.places["encoder_layers"] = layers_of(options, classes, StackName::encoder);
  values.places["decoder_layers"] = layers_of(options, classes, StackName::decoder);
  std::vector<std::string> sharing;
  for (const StackName stack : {StackName::encoder, StackName::decoder}) {
    append_group_sharing(options, classes, stack, sharing);
  }
  append_named_sharing(options, sharing);
  values.places["sharing"] = join(sharing, "\n");
  return fill_part(pytorch_parts::transformer, values);
}

std::string layers_source(const ModelOptions& options, const PartValues& model) {
  PartValues values = model;
  std::string source;
  for (const StackName stack : {StackName::encoder, StackName::decoder}) {
    if (attention_layers(options, self_kind(stack)) > 0) {
      values.places["name"] = layer_class(options, stack);
      values.conditions["cross"] = kinds_of(options, stack).size() == 2;
      source += fill_part(pytorch_parts::layer, values);
    }
  }
  return source;
}

}  // namespace tapehead
