// Makes the smaller model.
#include "lab/removal/head_removal.hpp"

#include "nn/attention/spec.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The heads that are kept, by their numbers in the larger model.
std::vector<Index> heads_left(const MultiHeadAttention& attention,
                              const std::vector<HeadName>& removed) {
  std::vector<Index> left;
  for (Index head = 0; head < attention.spec.heads; ++head) {
    if (std::ranges::count(removed, HeadName{.site = attention.site, .head = head}) == 0) {
      left.push_back(head);
    }
  }
  return left;
}

void expect_removable(const Transformer& transformer, const MultiHeadAttention& attention,
                      const std::vector<Index>& left) {
  const AttentionSpec& spec = attention.spec;
  const auto refuse = [&](std::string_view why) {
    throw ConfigError(fmt::format("heads of {} cannot be removed: {}", attention.site.text(), why));
  };
  if (const std::string_view why = why_none_goes(transformer, attention); !why.empty()) {
    refuse(why);
  }
  const std::vector<Index> keys = kept_heads(spec, left).key_heads;
  const Index served = spec.heads / spec.kv_heads;
  const auto serves = [&](Index key) {
    return std::ranges::count_if(left, [&](Index head) { return head / served == key; });
  };
  if (std::ranges::any_of(keys, [&](Index key) { return serves(key) != serves(keys.front()); })) {
    refuse("the heads that are left would share keys in unequal groups");
  }
}

template <class Value>
Value only(const Value& of_all_heads, const std::vector<Index>& /*left*/) {
  return of_all_heads;
}

template <class Value>
ByHead<Value> only(const ByHead<Value>& values, const std::vector<Index>& left) {
  if (values.values.size() == 1 || left.empty()) {
    return {{values.at(0)}};
  }
  ByHead<Value> kept;
  for (const Index head : left) {
    kept.values.push_back(values.at(head));
  }
  return kept;
}

AttentionSpec spec_with(const AttentionSpec& spec, const std::vector<Index>& left) {
  AttentionSpec smaller = spec;
  smaller.heads = std::ssize(left);
  smaller.kv_heads = std::max<Index>(1, std::ssize(kept_heads(spec, left).key_heads));
  AttentionSpec::walk([&](const auto& /*field*/, auto& value) { value = only(value, left); },
                      smaller);
  return smaller;
}

}  // namespace

std::string_view why_none_goes(const Transformer& transformer,
                               const MultiHeadAttention& attention) {
  const AttentionSpec& spec = attention.spec;
  if (spec.combine != Combine::output) {
    return "they have no output projection of their own";
  }
  if (transformer.shares_weights(attention)) {
    return "other attentions share their weights (model.layer_groups, shared_as)";
  }
  if (spec.has(AttentionPositions::alibi)) {
    return "each head's slope depends on its number and on the number of heads (alibi)";
  }
  if (spec.input == HeadInput::narrow) {
    return "each head sees a slice of the input that depends on its number (input: narrow)";
  }
  return "";
}

std::vector<FixedAttention> staying_attentions(const Transformer& transformer) {
  std::vector<FixedAttention> staying;
  for (const MultiHeadAttention* attention : transformer.attentions()) {
    if (const std::string_view why = why_none_goes(transformer, *attention); !why.empty()) {
      staying.push_back(
          {.site = attention->site, .heads = attention->spec.heads, .why = std::string(why)});
    }
  }
  return staying;
}

ModelOptions options_without(const ModelOptions& options, const Transformer& transformer,
                             const std::vector<HeadName>& removed) {
  for (const HeadName& head : removed) {
    attention_of(transformer, head);  // throws if the head does not exist
  }
  std::map<AttentionKind, std::vector<AttentionSpec>> specs;
  for (const MultiHeadAttention* attention : transformer.attentions()) {
    const std::vector<Index> left = heads_left(*attention, removed);
    if (std::ssize(left) < attention->spec.heads) {
      expect_removable(transformer, *attention, left);
    }
    specs[attention->spec.kind].push_back(without_unused(spec_with(attention->spec, left)));
  }
  ModelOptions smaller = options;
  smaller.attention = {};
  for (const AttentionKind kind : attention_kinds) {
    smaller.settings(kind) = settings_of(specs[kind]);
  }
  return smaller;
}

void keep_weights(const Model& from, const std::vector<HeadName>& removed, Model& to) {
  HeadCopy copy(from.store, to.store);
  const auto larger = from.transformer.attentions();
  const auto smaller = to.transformer.attentions();
  for (std::size_t i = 0; i < larger.size(); ++i) {
    const std::vector<Index> left = heads_left(*larger[i], removed);
    if (std::ssize(left) < larger[i]->spec.heads) {
      larger[i]->keep_heads(kept_heads(larger[i]->spec, left), *smaller[i], copy);
    }
  }
  copy.rest();
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
