#include "train/pytorch/attention_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "train/pytorch/pattern_text.hpp"

namespace tapehead {

namespace {

std::vector<PatternText> patterns_of(const AttentionSpec& spec) {
  std::vector<PatternText> texts;
  for (const AttentionPattern& pattern : spec.pattern.values) {
    texts.push_back(pattern_text(pattern, spec.kind == AttentionKind::decoder_self));
  }
  return texts;
}

std::vector<Index> heads_that_score(const AttentionSpec& spec, Score score) {
  std::vector<Index> heads;
  for (Index head = 0; head < spec.heads; ++head) {
    if (spec.score.at(head) == score) {
      heads.push_back(head);
    }
  }
  return heads;
}

void append_distances(const AttentionSpec& spec, std::vector<Argument>& arguments) {
  if (spec.has(AttentionPositions::rotary)) {
    arguments.push_back({"rotary_base", fmt::format("{}", spec.rotary_base)});
  }
  if (spec.has_clip()) {
    arguments.push_back({"before", fmt::format("{}", spec.clip)});
    arguments.push_back({"after", fmt::format("{}", spec.looks_back() ? 0 : spec.clip)});
  }
  if (spec.has(AttentionPositions::t5)) {
    arguments.push_back(
        {"bounds", fmt::format("{}({}, {})", spec.looks_back() ? "bounds_back" : "bounds_both_ways",
                               spec.buckets, spec.farthest)});
  }
}

void append_patterns(const PatternNeeds& needs, const AttentionSpec& spec,
                     std::vector<Argument>& arguments) {
  std::vector<std::string> functions;
  std::vector<std::string> top_k;
  for (const PatternText& pattern : patterns_of(spec)) {
    functions.push_back(pattern.function);
    top_k.push_back(pattern.top_k ? fmt::format("{}", *pattern.top_k) : "inf");
  }
  if (needs.by_head) {
    arguments.push_back({"patterns", fmt::format("[{}]", join(functions, ", "))});
  } else if (needs.masked) {
    arguments.push_back({"pattern", functions.front()});
  }
  if (needs.top_k) {
    arguments.push_back({"top_k", fmt::format("[{}]", join(top_k, ", "))});
  }
}

}  // namespace

PatternNeeds pattern_needs(const AttentionClass& of) {
  PatternNeeds needs;
  for (const AttentionSpec& spec : of.specs) {
    const std::vector<PatternText> patterns = patterns_of(spec);
    for (const PatternText& pattern : patterns) {
      needs.masked = needs.masked || !pattern.full;
      needs.by_head = needs.by_head || pattern.function != patterns.front().function;
      needs.top_k = needs.top_k || pattern.top_k.has_value();
      needs.may_be_empty = needs.may_be_empty || (pattern.near && !spec.is_self());
    }
  }
  return needs;
}

std::vector<Argument> attention_arguments(const AttentionClass& of, const AttentionSpec& spec) {
  if (of.form.no_heads) {
    return {};
  }
  std::vector<Argument> arguments{{"heads", fmt::format("{}", spec.heads)}};
  const auto add = [&](const char* name, Index value) {
    arguments.push_back({name, fmt::format("{}", value)});
  };
  if (of.form.grouped) {
    add("kv_heads", spec.kv_heads);
  }
  add("d_qk", spec.d_qk);
  add("d_v", spec.d_v);
  if (of.form.mixed()) {
    for (const Score score : {Score::cosine, Score::bilinear, Score::additive}) {
      if (of.form.has(score)) {
        arguments.push_back({std::string(EnumNames<Score>::names[static_cast<std::size_t>(score)]),
                             fmt::format("[{}]", join(heads_that_score(spec, score), ", "))});
      }
    }
  }
  append_distances(spec, arguments);
  append_patterns(pattern_needs(of), spec, arguments);
  return arguments;
}

Expression attention_call(const AttentionClass& of, const AttentionSpec& spec) {
  Expression call{.open = of.name + "(", .close = ")"};
  for (const Argument& argument : attention_arguments(of, spec)) {
    call.items.push_back({.open = argument.name + "=" + argument.value});
  }
  return call;
}

}  // namespace tapehead
