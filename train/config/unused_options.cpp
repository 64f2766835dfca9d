#include "train/config/unused_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "nn/attention_spec.hpp"

namespace tapehead {
namespace {

using Verdict = std::optional<Violation>;

using enum AttentionKind;
constexpr std::array attention_kinds{encoder_self, decoder_self, cross};

const AttentionSettings& settings_of(const ModelOptions& model, AttentionKind kind) {
  if (kind == encoder_self) return model.encoder_self;
  return kind == decoder_self ? model.decoder_self : model.cross;
}

template <class Predicate>
bool any_of_kind(const ModelOptions& model, AttentionKind kind, const Predicate& predicate) {
  for (Index layer = 0; layer < attention_layers(model, kind); ++layer) {
    if (predicate(attention_spec(model, kind, layer))) return true;
  }
  return false;
}

template <class Predicate>
bool any_attention(const ModelOptions& model, const Predicate& predicate) {
  return std::ranges::any_of(
      attention_kinds, [&](AttentionKind kind) { return any_of_kind(model, kind, predicate); });
}

// An option that only some positions use.
struct OfPositions {
  std::string_view name;
  Layered<Index> AttentionSettings::* option;
  Index AttentionSpec::* value;  // where its default stands
  bool (*used)(const AttentionSpec&);
  std::string_view positions;
};

bool has_clip(const AttentionSpec& spec) { return spec.has_clip(); }
bool has_buckets(const AttentionSpec& spec) { return spec.has(AttentionPositions::t5); }

constexpr std::array<OfPositions, 3> of_positions{{
    {"clip", &AttentionSettings::clip, &AttentionSpec::clip, has_clip,
     "relative, relative_keys, transformer_xl"},
    {"buckets", &AttentionSettings::buckets, &AttentionSpec::buckets, has_buckets, "t5"},
    {"farthest", &AttentionSettings::farthest, &AttentionSpec::farthest, has_buckets, "t5"},
}};

Verdict unused(const OfPositions& option, std::string_view section, Index value) {
  const std::string name = fmt::format("{}.{}", section, option.name);
  return Violation{{name, fmt::format("{}.positions", section), "attention.positions"},
                   fmt::format("no attention has positions that make use of {} ({}; only {})", name,
                               value, option.positions)};
}

// The section for all: what it says may be for any of the kinds.
Verdict check_all(const ModelOptions& model, const OfPositions& option) {
  const Layered<Index>& values = model.attention.*option.option;
  for (const Index value : values.values) {
    if (value != AttentionSpec{}.*option.value && !any_attention(model, option.used)) {
      return unused(option, "attention", value);
    }
  }
  return {};
}

// A kind's own section: in a stored config it also repeats what the section for all says.
Verdict check_kind(const ModelOptions& model, AttentionKind kind, const OfPositions& option) {
  const Layered<Index>& own = settings_of(model, kind).*option.option;
  const Layered<Index>& all = model.attention.*option.option;
  if (!own.given() || any_of_kind(model, kind, option.used)) return {};
  for (Index layer = 0; layer < attention_layers(model, kind); ++layer) {
    const bool standard = own.at(layer) == AttentionSpec{}.*option.value;
    const bool inherited = all.given() && own.at(layer) == all.at(layer);
    if (!standard && !inherited) return unused(option, name_of(kind), own.at(layer));
  }
  return {};
}

// Whether neither budget nor d_head decides anything of the widths of this attention.
bool has_given_widths(const AttentionSpec& spec) {
  const bool sum = spec.combine == Combine::mean || spec.combine == Combine::weighted;
  const bool one_width = spec.sharing != Sharing::none && spec.sharing != Sharing::query_key;
  return spec.sharing == Sharing::identity || spec.combine == Combine::concatenate ||
         (sum && one_width);
}

bool gives_widths(const AttentionSettings& settings) {
  return settings.d_qk.given() && settings.d_v.given();
}

// Whether all attention of this kind has its widths from elsewhere than budget and d_head.
bool widths_given(const ModelOptions& model, AttentionKind kind, bool by_own_section) {
  const AttentionSettings& own = settings_of(model, kind);
  AttentionSettings both = model.attention;
  if (by_own_section && own.d_qk.given()) both.d_qk = own.d_qk;
  if (by_own_section && own.d_v.given()) both.d_v = own.d_v;
  return gives_widths(both) ||
         !any_of_kind(model, kind, [](const AttentionSpec& s) { return !has_given_widths(s); });
}

Verdict unused_budget(const ModelOptions& model) {
  constexpr std::string_view problem =
      "budget decides nothing: d_qk and d_v are given, or sharing and combine decide them";
  for (const AttentionKind kind : attention_kinds) {
    if (settings_of(model, kind).budget.given() && attention_layers(model, kind) > 0 &&
        widths_given(model, kind, true)) {
      return Violation{{fmt::format("{}.budget", name_of(kind))}, std::string(problem)};
    }
  }
  const bool all = std::ranges::all_of(
      attention_kinds, [&](AttentionKind kind) { return widths_given(model, kind, false); });
  if (!model.attention.budget.given() || !all) return {};
  return Violation{{"attention.budget"}, std::string(problem)};
}

// Whether the budget of all attention of this kind is one that does not ask for d_head.
bool budget_without_d_head(const ModelOptions& model, AttentionKind kind) {
  const AttentionSettings& own = settings_of(model, kind);
  const Layered<HeadBudget>& budget = own.budget.given() ? own.budget : model.attention.budget;
  return budget.given() &&
         std::ranges::find(budget.values, HeadBudget::fixed_head_dim) == budget.values.end();
}

Verdict unused_d_head(const ModelOptions& model) {
  if (!model.d_head || *model.d_head == std::max<Index>(model.d_model / model.heads, 1)) return {};
  // A stored config gives the widths that d_head led to in the sections of the kinds.
  const bool stored = std::ranges::any_of(
      attention_kinds, [&](AttentionKind kind) { return gives_widths(settings_of(model, kind)); });
  const bool all = std::ranges::all_of(attention_kinds, [&](AttentionKind kind) {
    return attention_layers(model, kind) == 0 || budget_without_d_head(model, kind) ||
           widths_given(model, kind, false);
  });
  if (stored || !all) return {};
  return Violation{{"model.d_head", "attention.budget"},
                   fmt::format("no attention has its width from model.d_head ({})", *model.d_head)};
}

}  // namespace

Verdict unused_gate_options(const Config& config) {
  const TrainingOptions defaults;
  const bool rate = config.training.gate_rate != defaults.gate_rate;
  if (config.training.gate_penalty == 0 && !rate) return {};
  const auto gated = [](const AttentionSpec& spec) { return spec.gates == HeadGating::l0; };
  if (any_attention(config.model, gated)) return {};
  return Violation{{rate ? "training.gate_rate" : "training.gate_penalty", "attention.gates"},
                   "no attention has gates to train; set attention.gates: l0 too"};
}

Verdict unused_by_optimizer(const Config& config) {
  const TrainingOptions& training = config.training;
  const TrainingOptions defaults;
  const bool sgd = training.optimizer == OptimizerKind::sgd;
  const auto unused = [](const std::string& option, std::string_view optimizers) {
    return Violation{{option, "training.optimizer"},
                     fmt::format("this optimizer makes no use of it (only {})", optimizers)};
  };
  if (!sgd && training.momentum != defaults.momentum) return unused("training.momentum", "sgd");
  if (!sgd) return {};
  if (training.beta1 != defaults.beta1) return unused("training.beta1", "adam, adamw");
  if (training.beta2 != defaults.beta2) return unused("training.beta2", "adam, adamw");
  if (training.epsilon != defaults.epsilon) return unused("training.epsilon", "adam, adamw");
  return {};
}

Verdict unused_by_tokenizer(const Config& config) {
  const ParallelTextOptions& text = config.task.text;
  const ParallelTextOptions defaults;
  if (config.task.name != TaskName::parallel_text || text.tokenizer == TokenizerKind::bpe)
    return {};
  if (text.subword_dropout != defaults.subword_dropout) {
    return Violation{{"task.subword_dropout", "task.tokenizer"},
                     "this tokenizer merges nothing that could be left out (only bpe)"};
  }
  if (text.tokenizer == TokenizerKind::unigram) return {};
  const auto unused = [](const std::string& option) {
    return Violation{{option, "task.tokenizer"},
                     "this tokenizer makes no use of it (only bpe, unigram)"};
  };
  if (text.normalization != defaults.normalization) return unused("task.normalization");
  if (text.character_coverage != defaults.character_coverage) {
    return unused("task.character_coverage");
  }
  return {};
}

Verdict unused_by_positions(const Config& config) {
  for (const OfPositions& option : of_positions) {
    if (Verdict verdict = check_all(config.model, option)) return verdict;
    for (const AttentionKind kind : attention_kinds) {
      if (Verdict verdict = check_kind(config.model, kind, option)) return verdict;
    }
  }
  return {};
}

Verdict unused_widths(const Config& config) {
  if (Verdict verdict = unused_budget(config.model)) return verdict;
  return unused_d_head(config.model);
}

}  // namespace tapehead
