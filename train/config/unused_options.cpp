// Rules about options without effect.
#include "train/config/rules.hpp"

#include "core/text.hpp"
#include "nn/attention/spec.hpp"
#include "train/config/values.hpp"
#include "train/options/application.hpp"

namespace tapehead {
namespace {

using Verdict = std::optional<Violation>;

// The first value of `own` that is neither the default nor the inherited value. In a stored config
// the section of each kind repeats the values of the section `attention`.
template <class Value>
const Value* said_anew(const Layered<Value>& own, const Layered<Value>& inherited,
                       const Value& standard, Index layers) {
  for (Index layer = 0; own.given() && layer < layers; ++layer) {
    const bool repeated = inherited.given() && own.at(layer) == inherited.at(layer);
    if (own.at(layer) != standard && !repeated) {
      return &own.at(layer);
    }
  }
  return nullptr;
}

template <class Value>
Violation without_positions(const AttentionField& field, std::string_view section,
                            const Value& value) {
  Layered<Value> values{{value}};
  const auto name_of_scheme = [](AttentionPositions scheme) { return name_of(scheme); };
  const std::string name = full_name(section, field.name);
  return {{name, full_name(section, "positions"), "attention.positions"},
          fmt::format("no attention has positions that use {} ({}; used by {})", name,
                      write_value({field, cell_of(values)}),
                      join(field.positions | std::views::transform(name_of_scheme), ", "))};
}

bool gives_widths(const AttentionSettings& settings) {
  return settings.d_qk.given() && settings.d_v.given();
}

// Whether d_qk and d_v, or sharing and combine, decide all widths of this kind, so that budget and
// d_head have no effect.
bool widths_given(const ModelOptions& model, AttentionKind kind, const AttentionSettings& said) {
  const auto has_given_widths = [](const AttentionSpec& spec) {
    const bool d_qk_given = shares_value(spec.sharing) || spec.sharing == Sharing::identity_query;
    return spec.sharing == Sharing::identity || spec.combine == Combine::concatenate ||
           (spec.adds_heads() && d_qk_given);
  };
  return gives_widths(said) || std::ranges::all_of(attention_specs(model, kind), has_given_widths);
}

Verdict unused_budget(const ModelOptions& model) {
  constexpr std::string_view problem =
      "budget has no effect: d_qk and d_v are given, or follow from sharing and combine";
  for (const AttentionKind kind : attention_kinds) {
    if (model.settings(kind).budget.given() && attention_layers(model, kind) > 0 &&
        widths_given(model, kind, merged_settings(model, kind))) {
      return Violation{{fmt::format("{}.budget", name_of(kind))}, std::string(problem)};
    }
  }
  const bool all = std::ranges::all_of(attention_kinds, [&](AttentionKind kind) {
    return widths_given(model, kind, model.attention);
  });
  return violation_if(model.attention.budget.given() && all, {"attention.budget"}, "{}", problem);
}

Verdict unused_d_head(const ModelOptions& model) {
  if (!model.d_head || *model.d_head == std::max<Index>(model.d_model / model.heads, 1)) {
    return {};
  }
  // In a stored config the sections of the kinds contain the widths that were computed from d_head.
  const bool stored = std::ranges::any_of(
      attention_kinds, [&](AttentionKind kind) { return gives_widths(model.settings(kind)); });
  const bool all = std::ranges::all_of(attention_kinds, [&](AttentionKind kind) {
    const std::vector<HeadBudget> budgets = merged_settings(model, kind).budget.values;
    const bool other_budget =
        !budgets.empty() && std::ranges::count(budgets, HeadBudget::fixed_head_dim) == 0;
    return attention_layers(model, kind) == 0 || other_budget ||
           widths_given(model, kind, model.attention);
  });
  return violation_if(!stored && all, {"model.d_head", "attention.budget"},
                      "no attention has its width from model.d_head ({})", *model.d_head);
}

}  // namespace

Verdict unused_gate_options(const Config& config) {
  const TrainingOptions defaults;
  const bool rate = config.training.gate_rate != defaults.gate_rate;
  const auto gated = [](const AttentionSpec& spec) { return spec.gates == HeadGating::l0; };
  return violation_if((rate || config.training.gate_penalty != 0) &&
                          std::ranges::none_of(attention_specs(config.model), gated),
                      {rate ? "training.gate_rate" : "training.gate_penalty", "attention.gates"},
                      "no attention has gates to train; set attention.gates: l0 too");
}

Verdict unused_by_another(const Config& config) {
  Config own = config;
  Config defaults = config_for(config.task.kind());
  const std::vector<Section> standard = sections(defaults);
  std::vector<OptionRow> rows;
  for (const Section& section : sections(own)) {
    const auto same = std::ranges::find(standard, section.name, &Section::name);
    add_option_rows(section.name, section.rows, same->rows, rows);
  }
  return option_without_effect(rows);
}

Verdict unused_by_positions(const Config& config) {
  const ModelOptions& model = config.model;
  const AttentionSpec defaults;
  Verdict verdict;
  const auto check = [&]<class Value>(const AttentionField& field, const Value& standard,
                                      const Layered<Value>& all, const auto&... kinds) {
    if (verdict || field.positions.empty()) {
      return;
    }
    const auto used = [&](const AttentionSpec& spec) { return field.used_with(spec.positions); };
    const Value* value = said_anew(all, {}, standard, std::ssize(all.values));
    if (value != nullptr && std::ranges::none_of(attention_specs(model), used)) {
      verdict = without_positions(field, "attention", *value);
    }
    const std::array own{&kinds...};
    for (const AttentionKind kind : attention_kinds) {
      value = said_anew(*own[static_cast<std::size_t>(kind)], all, standard,
                        attention_layers(model, kind));
      if (!verdict && value != nullptr &&
          std::ranges::none_of(attention_specs(model, kind), used)) {
        verdict = without_positions(field, name_of(kind), *value);
      }
    }
  };
  AttentionSettings::walk(check, defaults, model.attention, model.encoder_self, model.decoder_self,
                          model.cross);
  return verdict;
}

// The needs of options of evaluation in order of EvaluationNeed: whether a use has what is needed,
// and what is said of one that has not.
struct Need {
  bool (*met)(const Use&);
  std::string_view otherwise;
};

constexpr std::array evaluation_needs{
    Need{[](const Use& use) { return !use.windows; },
         "running text has no outputs that are compared with a reference"},
    Need{[](const Use& use) { return use.gives_entries(); },
         "the model predicts a class for each example and writes no text"},
    Need{[](const Use& use) { return use.writes; },
         "the model gives its labels in one pass, without a search"},
    Need{[](const Use& use) { return use.windows; },
         "only running text is cut into windows (task.name: text)"},
    Need{[](const Use& use) { return !use.mask; },
         "an encoder predicts masked tokens of windows that do not overlap"},
    Need{[](const Use& use) { return !use.mask; }, "a masked language model writes no text"}};

Verdict unused_by_evaluation(const Config& config) {
  EvaluationOptions evaluation = config.evaluation;
  EvaluationOptions defaults;
  const std::vector<Row> rows = rows_of(evaluation);
  const std::vector<Row> standard = rows_of(defaults);
  Verdict verdict;
  std::size_t i = 0;
  evaluation.fields([&](const auto&, const auto& field, std::string_view) {
    const bool chosen = write_value(rows[i]) != write_value(standard[i]);
    ++i;
    if constexpr (requires { field.needs; }) {
      for (const EvaluationNeed need : field.needs) {
        const auto& [met, otherwise] = evaluation_needs[static_cast<std::size_t>(need)];
        if (!verdict && chosen && !met(use_of(config))) {
          verdict =
              Violation{{full_name("evaluation", field.name), "task.name"}, std::string(otherwise)};
        }
      }
    }
  });
  return verdict;
}

Verdict unused_widths(const Config& config) {
  return first_violation({unused_budget(config.model), unused_d_head(config.model)});
}

Verdict unused_depth_scale(const Config& config) {
  const ModelOptions& model = config.model;
  const auto projected = [](const AttentionSpec& spec) {
    return spec.heads > 0 && spec.combine == Combine::output;
  };
  return violation_if(
      model.initializer_depth_scale && model.feed_forward == FeedForwardKind::none &&
          std::ranges::none_of(attention_specs(model), projected),
      {"model.initializer_depth_scale", "attention.combine", "model.feed_forward"},
      "no block ends with a linear layer whose initial weights this option could scale");
}

}  // namespace tapehead
