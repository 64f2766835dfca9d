#include "train/plan/parts_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/scalar.hpp"
#include "train/output/text_table.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

std::vector<std::string> cells(const std::string& name, const PartCost& cost) {
  return {name, parameters_text(cost.parameters, cost.trained), format_count(cost.multiply_adds),
          fmt::format("{:.1f}", cost.weight_bytes / 1e6),
          fmt::format("{:.1f}", cost.activation_bytes / 1e6)};
}

}  // namespace

std::string parameters_text(Index parameters, Index trained) {
  const auto number = [](Index count) { return format_count(static_cast<double>(count)); };
  return trained == parameters ? number(parameters)
                               : fmt::format("{}, {} trained", number(parameters), number(trained));
}

PartCost cost_of(const PartsFacts& facts, std::size_t part) {
  const ModelPart& of = facts.parts[part];
  const Index shards = *facts.training.shards;
  const OptimizerTraits& optimizer = traits_of(facts.training.optimizer);
  const Index state = of.in_matrices * std::ssize(optimizer.moments_of(ParameterKind::matrix)) +
                      (of.trained - of.in_matrices) * std::ssize(optimizer.moments);
  return {.parameters = of.parameters,
          .trained = of.trained,
          .multiply_adds = of.multiply_adds,
          .weight_bytes = static_cast<double>(of.parameters + of.trained * shards + state) *
                          static_cast<double>(sizeof(Scalar)),
          .activation_bytes = static_cast<double>(std::min(facts.threads, shards)) *
                              static_cast<double>(facts.activations[part])};
}

PartCost total_cost(const PartsFacts& facts) {
  PartCost sum;
  for (std::size_t i = 0; i < facts.parts.size(); ++i) {
    const PartCost cost = cost_of(facts, i);
    sum.parameters += cost.parameters;
    sum.trained += cost.trained;
    sum.multiply_adds += cost.multiply_adds;
    sum.weight_bytes += cost.weight_bytes;
    sum.activation_bytes += cost.activation_bytes;
  }
  return sum;
}

std::string parts_table(const PartsFacts& facts) {
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.row({"part", "parameters", "multiply-adds a step", "weights MB", "activations MB"});
  table.rule();
  for (std::size_t i = 0; i < facts.parts.size(); ++i) {
    const ModelPart& part = facts.parts[i];
    table.row(cells(part.name, cost_of(facts, i)));
    if (part.attention) {
      table.row({"  queries, keys, values", "", format_count(part.attention->projections), "", ""});
      table.row({"  scores, weighted values", "", format_count(part.attention->pairs), "", ""});
      table.row({"  output", "", format_count(part.attention->output), "", ""});
    }
  }
  table.rule();
  table.row(cells("all", total_cost(facts)));
  return table.text();
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
