#include "train/plan/parts_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/scalar.hpp"
#include "train/output/text_table.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

std::vector<std::string> cells(const std::string& name, Index parameters, Index trained,
                               double multiply_adds, const PartMemory& memory) {
  return {name, parameters_text(parameters, trained), format_count(multiply_adds),
          fmt::format("{:.1f}", memory.weights / 1e6),
          fmt::format("{:.1f}", memory.activations / 1e6)};
}

}  // namespace

std::string parameters_text(Index parameters, Index trained) {
  const auto number = [](Index count) { return format_count(static_cast<double>(count)); };
  return trained == parameters ? number(parameters)
                               : fmt::format("{}, {} trained", number(parameters), number(trained));
}

PartMemory memory_of(const PartsFacts& facts, std::size_t part) {
  const Index shards = *facts.training.shards;
  const Index side_by_side = std::min(facts.threads, shards);
  const Index parameters = facts.parts[part].parameters;
  const Index trained = facts.parts[part].trained;
  const Index in_matrices = facts.parts[part].in_matrices;
  const OptimizerTraits& optimizer = traits_of(facts.training.optimizer);
  const Index state = in_matrices * std::ssize(optimizer.moments_of(ParameterKind::matrix)) +
                      (trained - in_matrices) * std::ssize(optimizer.moments);
  return {.weights = static_cast<double>(parameters + trained * shards + state) *
                     static_cast<double>(sizeof(Scalar)),
          .activations =
              static_cast<double>(side_by_side) * static_cast<double>(facts.activations[part])};
}

PartTotals totals_of(const PartsFacts& facts) {
  PartTotals sum;
  for (std::size_t i = 0; i < facts.parts.size(); ++i) {
    const PartMemory memory = memory_of(facts, i);
    sum.parameters += facts.parts[i].parameters;
    sum.trained += facts.parts[i].trained;
    sum.multiply_adds += facts.parts[i].multiply_adds;
    sum.memory.weights += memory.weights;
    sum.memory.activations += memory.activations;
  }
  return sum;
}

std::string parts_table(const PartsFacts& facts) {
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.row({"part", "parameters", "multiply-adds a step", "weights MB", "activations MB"});
  table.rule();
  for (std::size_t i = 0; i < facts.parts.size(); ++i) {
    const ModelPart& part = facts.parts[i];
    table.row(
        cells(part.name, part.parameters, part.trained, part.multiply_adds, memory_of(facts, i)));
    if (part.attention) {
      table.row({"  queries, keys, values", "", format_count(part.attention->projections), "", ""});
      table.row({"  scores, weighted values", "", format_count(part.attention->pairs), "", ""});
      table.row({"  output", "", format_count(part.attention->output), "", ""});
    }
  }
  table.rule();
  const PartTotals sum = totals_of(facts);
  table.row(cells("all", sum.parameters, sum.trained, sum.multiply_adds, sum.memory));
  return table.text();
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
