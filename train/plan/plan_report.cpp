#include "train/plan/plan_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "train/output/format.hpp"
#include "train/output/table.hpp"
#include "train/plan/parts_table.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

PartsFacts parts_facts(const PlanFacts& facts) {
  return {.parts = facts.rehearsal.parts,
          .training = facts.options.training,
          .activations = facts.rehearsal.activations,
          .threads = facts.threads};
}

std::string step_text(const PlanFacts& facts) {
  const double seconds = facts.rehearsal.seconds_per_step;
  return fmt::format("{:.3g} ms by {} threads, {} target tokens/s ({} steps timed)", 1e3 * seconds,
                     facts.threads, format_count(facts.rehearsal.rows.labels / seconds),
                     facts.rehearsal.timed_steps);
}

std::string rows_text(const StepRows& rows) {
  return rows.source > 0
             ? fmt::format("{:.0f} source and {:.0f} target tokens", rows.source, rows.target)
             : fmt::format("{:.0f} tokens, {:.0f} of them with a label,", rows.target, rows.labels);
}

// Seconds of training, without evaluations, until the schedule or the time ends it; none if only
// patience does.
std::optional<double> training_seconds(const PlanFacts& facts) {
  std::optional<double> seconds;
  if (facts.run.total_steps > 0) {
    seconds = facts.rehearsal.seconds_per_step * static_cast<double>(facts.run.total_steps);
  }
  if (const auto minutes = facts.options.training.minutes) {
    seconds = std::min(seconds.value_or(60 * *minutes), 60 * *minutes);
  }
  return seconds;
}

std::string training_text(const PlanFacts& facts, double seconds) {
  const double steps = seconds / facts.rehearsal.seconds_per_step;
  const bool all = facts.run.total_steps > 0 && steps >= static_cast<double>(facts.run.total_steps);
  if (all) {
    return fmt::format("{} steps, {} without evaluations", facts.run.total_steps,
                       format_duration(seconds));
  }
  const std::string of =
      facts.run.total_steps > 0 ? fmt::format(" of {}", facts.run.total_steps) : "";
  return fmt::format("about {:.0f}{} steps, until training.minutes ends it after {}", steps, of,
                     format_duration(seconds));
}

}  // namespace

std::string plan_table(const PlanFacts& facts) {
  Table table({Align::left, Align::left});
  table.row({"a step", fmt::format("{} on the mean, {} an epoch", rows_text(facts.rehearsal.rows),
                                   facts.run.steps_per_epoch)});
  table.row({"time per step", step_text(facts)});
  if (const auto seconds = training_seconds(facts)) {
    table.row({"training", training_text(facts, *seconds)});
  }
  table.row({"peak memory",
             fmt::format("{:.0f} MB", static_cast<double>(facts.rehearsal.peak_bytes) / 1e6)});
  return parts_table(parts_facts(facts)) + "\n\n" + table.text();
}

nlohmann::ordered_json plan_json(const PlanFacts& facts) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  const PartsFacts of_parts = parts_facts(facts);
  const auto numbers = [](const auto& of, const PartMemory& memory) {
    return nlohmann::ordered_json{{"parameters", of.parameters},
                                  {"trained_parameters", of.trained},
                                  {"multiply_adds", of.multiply_adds},
                                  {"weight_bytes", memory.weights},
                                  {"activation_bytes", memory.activations}};
  };
  for (std::size_t i = 0; i < facts.rehearsal.parts.size(); ++i) {
    const ModelPart& part = facts.rehearsal.parts[i];
    nlohmann::ordered_json row = {{"name", part.name}};
    row.update(numbers(part, memory_of(of_parts, i)));
    if (part.attention) {
      row["attention"] = {{"projections", part.attention->projections},
                          {"pairs", part.attention->pairs},
                          {"output", part.attention->output}};
    }
    parts.push_back(std::move(row));
  }
  const PartTotals sum = totals_of(of_parts);
  const double seconds = facts.rehearsal.seconds_per_step;
  const Index steps = facts.run.total_steps;
  const std::optional<double> trained = training_seconds(facts);
  return {
      {"config", facts.config},
      {"threads", facts.threads},
      {"parts", std::move(parts)},
      {"total", numbers(sum, sum.memory)},
      {"step",
       {{"source_tokens", facts.rehearsal.rows.source},
        {"target_tokens", facts.rehearsal.rows.target},
        {"seconds", seconds},
        {"timed_steps", facts.rehearsal.timed_steps}}},
      {"steps_per_epoch", facts.run.steps_per_epoch},
      {"steps", steps > 0 ? nlohmann::ordered_json(steps) : nlohmann::ordered_json()},
      {"training_seconds", trained ? nlohmann::ordered_json(*trained) : nlohmann::ordered_json()},
      {"peak_memory_bytes", facts.rehearsal.peak_bytes}};
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
