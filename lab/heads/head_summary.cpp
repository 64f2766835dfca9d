#include "lab/heads/head_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "lab/spread.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

using Values = std::map<std::string, std::vector<double>>;

std::string without_spaces(std::string name) {
  std::ranges::replace(name, ' ', '_');
  return name;
}

// Of the weights, in positions; what is farther than the profile counts with its outermost.
double mean_distance(const HeadFigures& head) {
  double sum = 0;
  for (std::size_t i = 0; i < head.distance_profile.size(); ++i) {
    sum += head.distance_profile[i].value_or(0) * std::abs(static_cast<double>(i) - reach);
  }
  return sum;
}

// The names `largest` and `self` stay, whatever tables say: files of sweeps have them.
void add_head(Values& values, const std::string& kind, const HeadReport& head) {
  const HeadFigures& figures = head.figures;
  const auto add = [&](std::string_view name, std::optional<double> value) {
    if (value) {
      values[fmt::format("{}.{}", kind, name)].push_back(*value);
    }
  };
  add("entropy", figures.entropy);
  add("largest", figures.confidence);
  if (figures.entropy) {
    add("distance", mean_distance(figures));
  }
  for (const auto& [name, place] :
       {std::pair("self", KeyPlace::same), std::pair("previous", KeyPlace::previous),
        std::pair("next", KeyPlace::next), std::pair("first", KeyPlace::first)}) {
    add(name, figures.at(place).share);
  }
  if (figures.even_entropy > 0) {
    add("evenness", *figures.entropy / *figures.even_entropy);
  }
  if (head.maps) {
    add("asymmetry", head.maps->asymmetry);
  }
}

void add_pairs(Values& values, const std::string& kind, const AttentionReport& attention) {
  for (std::size_t i = 0; i < attention.heads.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      values[kind + ".divergence"].push_back(attention.heads[i].divergence[j]);
      values[kind + ".output_distance"].push_back(attention.heads[i].output_distance[j]);
    }
  }
}

// For each relation the head that agrees best, of all layers, with what the best offset and, for
// this head, chance come to.
void add_relations(NamedFigures& summary, const std::string& kind,
                   const std::vector<RelationFigures>& relations) {
  for (const RelationFigures& relation : relations) {
    const std::string name = fmt::format("{}.{}", kind, without_spaces(relation.name));
    const auto best = std::ranges::max_element(relation.agreement);
    const auto known = summary.find(name + ".best_head");
    if (*best && (known == summary.end() || *best > known->second)) {
      summary[name + ".best_head"] = **best;
      summary[name + ".random"] =
          relation.random[static_cast<std::size_t>(best - relation.agreement.begin())];
    }
    summary[name + ".best_offset"] = relation.offset_share;
  }
}

void add_roles(NamedFigures& summary, const std::vector<AttentionReport>& attentions) {
  for (const std::string_view role : role_names) {
    summary["role." + without_spaces(std::string(role))] = 0;
  }
  for (const AttentionReport& attention : attentions) {
    for (const HeadReport& head : attention.heads) {
      ++summary["role." + without_spaces(std::string(name_of(head.figures.role)))];
      ++summary["heads"];
    }
  }
}

double share_within(const PruningCurve& curve, double tolerance) {
  return static_cast<double>(curve.steps_within(tolerance)) /
         static_cast<double>(curve.steps.size());
}

}  // namespace

NamedFigures summary_of(const std::vector<AttentionReport>& attentions) {
  Values values;
  NamedFigures summary;
  for (const AttentionReport& attention : attentions) {
    const std::string kind(name_of(attention.site.kind));
    for (const HeadReport& head : attention.heads) {
      add_head(values, kind, head);
    }
    add_pairs(values, kind, attention);
    if (!attention.heads.empty()) {
      add_relations(summary, kind, attention.relations);
    }
  }
  for (const auto& [name, of_heads] : values) {
    const Spread spread = spread_of(of_heads);
    summary[name] = spread.mean;
    if (spread.has_deviation() && (name.ends_with(".entropy") || name.ends_with(".distance"))) {
      summary[name + "_spread"] = spread.deviation;
    }
  }
  add_roles(summary, attentions);
  return summary;
}

NamedFigures summary_of(const std::vector<GatedHead>& gates) {
  return {{"heads.closed", static_cast<double>(std::ranges::count(gates, 0.0, &GatedHead::gate))}};
}

NamedFigures summary_of(const Importance& importance) {
  Values values;
  std::vector<double> spare;
  for (const HeadImportance& head : importance.heads) {
    const double more = head.loss_without - importance.loss;
    values[head.head.site.text() + ".more_without"].push_back(more);
    values[head.head.site.text() + ".more_alone"].push_back(head.loss_alone - importance.loss);
    spare.push_back(more <= spare_loss ? 1 : 0);
  }
  NamedFigures summary;
  if (!spare.empty()) {
    summary["heads.spare"] = spread_of(spare).mean;
  }
  for (const auto& [name, of_heads] : values) {
    summary[name] = spread_of(of_heads).mean;
    summary[name + "_most"] = std::ranges::max(of_heads);
  }
  return summary;
}

NamedFigures summary_of(const PruningCurve& curve) {
  if (curve.steps.empty()) {
    return {};
  }
  return {{"heads.prunable", share_within(curve, spare_loss)},
          {"heads.prunable_at_ten_times", share_within(curve, 10 * spare_loss)}};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
