#include "lab/head_removal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/errors.hpp"
#include "nn/attention_resolve.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// The heads that stay, by their numbers in the larger model.
std::vector<Index> heads_left(const MultiHeadAttention& attention,
                              const std::vector<HeadName>& removed) {
  std::vector<Index> left;
  for (Index head = 0; head < attention.spec.heads; ++head) {
    const bool gone = std::ranges::any_of(removed, [&](const HeadName& name) {
      return name.path == attention.module.path() && name.head == head;
    });
    if (!gone) {
      left.push_back(head);
    }
  }
  return left;
}

// Those heads of keys and values that still serve a head.
std::vector<Index> key_heads_left(const AttentionSpec& spec, const std::vector<Index>& left) {
  const Index served = spec.heads / spec.kv_heads;
  std::vector<Index> keys;
  for (const Index head : left) {
    if (keys.empty() || keys.back() != head / served) {
      keys.push_back(head / served);
    }
  }
  return keys;
}

void expect_removable(const MultiHeadAttention& attention, const std::vector<Index>& left) {
  const AttentionSpec& spec = attention.spec;
  const auto refuse = [&](std::string_view why) {
    throw ConfigError(
        fmt::format("heads of {} cannot be removed: {}", attention.module.path(), why));
  };
  if (const std::string_view why = why_none_goes(spec); !why.empty()) {
    refuse(why);
  }
  const std::vector<Index> keys = key_heads_left(spec, left);
  const Index served = spec.heads / spec.kv_heads;
  const auto serves = [&](Index key) {
    return std::ranges::count_if(left, [&](Index head) { return head / served == key; });
  };
  if (std::ranges::any_of(keys, [&](Index key) { return serves(key) != serves(keys.front()); })) {
    refuse("the heads that are left would share keys in unequal groups");
  }
}

template <class Value>
ByHead<Value> only(const ByHead<Value>& values, const std::vector<Index>& left) {
  if (values.values.size() == 1) {
    return values;
  }
  ByHead<Value> kept;
  for (const Index head : left) {
    kept.values.push_back(values.at(head));
  }
  return kept.values.empty() ? ByHead<Value>{{values.at(0)}} : kept;
}

AttentionSpec spec_with(const AttentionSpec& spec, const std::vector<Index>& left) {
  AttentionSpec smaller = spec;
  smaller.heads = std::ssize(left);
  smaller.kv_heads = std::max<Index>(1, std::ssize(key_heads_left(spec, left)));
  smaller.score = only(spec.score, left);
  smaller.pattern = only(spec.pattern, left);
  return smaller;
}

// Chunks of `size` numbers, of each row, that go from a larger parameter to a smaller one.
struct Chunks {
  std::vector<Index> which;
  Index size;
};

void keep_chunks(const Tensor& from, const Chunks& chunks, Index rows, Tensor to) {
  const Index from_columns = from.size() / rows;
  const Index to_columns = to.size() / rows;
  for (Index row = 0; row < rows; ++row) {
    Scalar* next = to.data() + row * to_columns;
    for (const Index chunk : chunks.which) {
      next = std::copy_n(from.data() + row * from_columns + chunk * chunks.size, chunks.size, next);
    }
  }
}

// What of each parameter of an attention stays, by the end of its name: whole rows of heads for
// projections and scores, columns for the output.
class Kept {
 public:
  Kept(const MultiHeadAttention& attention, const std::vector<Index>& left)
      : spec_(attention.spec), left_(left), keys_(key_heads_left(attention.spec, left)) {}

  void copy(const std::string& name, const Tensor& from, const Tensor& to) const {
    if (name == "output.weight") {
      keep_chunks(from, {left_, spec_.d_v}, spec_.d_model, to);
    } else if (name == "score.scale" || name == "gates") {
      keep_chunks(from, {left_, 1}, 1, to);
    } else if (name == "score.weight") {
      keep_chunks(from, {numbers_among(Score::bilinear), spec_.d_qk * spec_.d_qk}, 1, to);
    } else if (name == "score.vector") {
      keep_chunks(from, {numbers_among(Score::additive), spec_.d_qk}, 1, to);
    } else if (name == "distance.score") {
      keep_chunks(from, {left_, spec_.distance_buckets()}, 1, to);
    } else if (name == "distance.weight") {
      keep_chunks(from, {left_, spec_.d_qk * spec_.d_model}, 1, to);
    } else if (name == "distance.content" || name == "distance.place") {
      keep_chunks(from, {left_, spec_.d_qk}, 1, to);
    } else if (name == "output.bias" || name.starts_with("distance.")) {  // of all heads
      keep_chunks(from, {{0}, from.size()}, 1, to);
    } else {
      copy_projection(name, from, to);
    }
  }

 private:
  // The numbers, among heads with this score, of those that stay.
  std::vector<Index> numbers_among(Score score) const {
    std::vector<Index> numbers;
    Index number = 0;
    for (Index head = 0; head < spec_.heads; ++head) {
      if (spec_.score.at(head) == score) {
        if (std::ranges::find(left_, head) != left_.end()) {
          numbers.push_back(number);
        }
        ++number;
      }
    }
    return numbers;
  }

  void copy_projection(const std::string& name, const Tensor& from, const Tensor& to) const {
    for (const ProjectionSpec& projection : projections_of(spec_)) {
      if (!name.starts_with(projection.name + ".")) {
        continue;
      }
      const Index size = from.size() / projection.heads;
      const std::vector<Index> own = projection.query ? left_ : keys_;
      keep_chunks(from, {spec_.tied() ? std::vector<Index>{0} : own, size}, 1, to);
    }
  }

  const AttentionSpec& spec_;
  std::vector<Index> left_;
  std::vector<Index> keys_;
};

}  // namespace

std::string_view why_none_goes(const AttentionSpec& spec) {
  if (spec.combine != Combine::output || !spec.shared_as.empty()) {
    return "they have no output projection of their own";
  }
  if (spec.has(AttentionPositions::alibi)) {
    return "each head's slope follows from its number and from how many there are (alibi)";
  }
  if (spec.input == HeadInput::narrow) {
    return "each head sees a slice of the input that its number decides (input: narrow)";
  }
  return "";
}

std::vector<FixedAttention> staying_attentions(const Transformer& transformer) {
  std::vector<FixedAttention> staying;
  for (const MultiHeadAttention* attention : transformer.attentions()) {
    if (const std::string_view why = why_none_goes(attention->spec); !why.empty()) {
      staying.push_back({.path = attention->module.path(),
                         .heads = attention->spec.heads,
                         .why = std::string(why)});
    }
  }
  return staying;
}

ModelOptions options_without(const ModelOptions& options, const Transformer& transformer,
                             const std::vector<HeadName>& removed) {
  for (const HeadName& head : removed) {
    attention_of(transformer, head);  // refuses one that there is not
  }
  std::map<AttentionKind, std::vector<AttentionSpec>> specs;
  for (const MultiHeadAttention* attention : transformer.attentions()) {
    const std::vector<Index> left = heads_left(*attention, removed);
    if (std::ssize(left) < attention->spec.heads) {
      expect_removable(*attention, left);
    }
    specs[attention->spec.kind].push_back(without_unused(spec_with(attention->spec, left)));
  }
  ModelOptions smaller = options;
  smaller.attention = {};
  smaller.encoder_self = settings_of(specs[AttentionKind::encoder_self]);
  smaller.decoder_self = settings_of(specs[AttentionKind::decoder_self]);
  smaller.cross = settings_of(specs[AttentionKind::cross]);
  return smaller;
}

void keep_weights(const Model& from, const std::vector<HeadName>& removed, Model& to) {
  for (const NamedParameter& parameter : to.store.parameters()) {
    const auto before =
        std::ranges::find(from.store.parameters(), parameter.name, &NamedParameter::name);
    const Tensor larger = from.store.value(*before);
    Tensor smaller = to.store.value(parameter);
    bool of_heads = false;
    for (const MultiHeadAttention* attention : from.transformer.attentions()) {
      const std::string prefix = attention->module.path() + ".";
      const std::vector<Index> left = heads_left(*attention, removed);
      if (parameter.name.starts_with(prefix) && std::ssize(left) < attention->spec.heads) {
        const std::string name = parameter.name.substr(prefix.size());
        of_heads = !name.starts_with("norm.");
        if (of_heads) {
          Kept(*attention, left).copy(name, larger, smaller);
        }
      }
    }
    if (!of_heads) {
      std::ranges::copy(larger.values(), smaller.values().begin());
    }
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
