#include "train/pytorch/attention_classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tapehead {

namespace {

bool is_cross(const AttentionSpec& spec) { return !spec.is_self(); }

std::string usual_name(const AttentionClass& one, const ModelOptions& options) {
  std::set<AttentionKind> kinds;
  for (const AttentionSpec& spec : one.specs) {
    kinds.insert(spec.kind);
  }
  if (one.form.no_heads) {
    return "NoAttention";
  }
  if (kinds.contains(AttentionKind::cross)) {
    return kinds.size() == 1 ? "CrossAttention" : "Attention";
  }
  if (kinds.size() == 2 || options.family != Family::encoder_decoder) {
    return "SelfAttention";
  }
  return kinds.contains(AttentionKind::encoder_self) ? "EncoderAttention" : "DecoderAttention";
}

}  // namespace

bool AttentionForm::mixed() const { return std::ranges::count(scores, true) > 1; }

AttentionForm form_of(const AttentionSpec& spec) {
  if (spec.heads == 0) {
    return {.no_heads = true};
  }
  AttentionForm form{.sharing = spec.sharing,
                     .head_weights = spec.head_weights,
                     .input = spec.input,
                     .combine = spec.combine,
                     .scale = spec.scale,
                     .positions = spec.positions,
                     .rotary_pairs = spec.has(AttentionPositions::rotary) ? spec.rotary_pairs
                                                                          : RotaryPairs::halves,
                     .gates = spec.gates,
                     .grouped = spec.kv_heads != spec.heads};
  for (Index head = 0; head < spec.heads; ++head) {
    form.scores[static_cast<std::size_t>(spec.score.at(head))] = true;
  }
  return form;
}

bool AttentionClass::of_self() const { return !std::ranges::all_of(specs, is_cross); }
bool AttentionClass::of_cross() const { return std::ranges::any_of(specs, is_cross); }

std::vector<AttentionClass> attention_classes(const ModelOptions& options) {
  std::vector<AttentionClass> classes;
  for (const AttentionKind kind : attention_kinds) {
    for (const AttentionSpec& spec : attention_specs(options, kind)) {
      const AttentionForm form = form_of(spec);
      auto found = std::ranges::find(classes, form, &AttentionClass::form);
      if (found == classes.end()) {
        found = classes.insert(found, {.name = {}, .form = form, .specs = {}});
      }
      found->specs.push_back(spec);
    }
  }
  for (AttentionClass& one : classes) {
    const std::string usual = usual_name(one, options);
    one.name = usual;
    for (Index number = 2; std::ranges::count(classes, one.name, &AttentionClass::name) > 1;
         ++number) {
      one.name = fmt::format("{}{}", usual, number);
    }
  }
  return classes;
}

const AttentionClass& class_of(const std::vector<AttentionClass>& classes,
                               const AttentionSpec& spec) {
  return *std::ranges::find(classes, form_of(spec), &AttentionClass::form);
}

}  // namespace tapehead
