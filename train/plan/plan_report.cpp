#include "train/plan/plan_report.hpp"

#include "train/output/text_table.hpp"
#include "train/plan/start_table.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

PartsFacts parts_facts(const PlanFacts& facts) {
  return {.parts = facts.rehearsal.parts,
          .training = facts.options.training,
          .activations = facts.rehearsal.activations,
          .threads = facts.threads};
}

std::string step_text(const PlanFacts& facts) {
  const double seconds = facts.rehearsal.seconds_per_step;
  return fmt::format("{:.3g} ms by {}, {} target tokens/s ({} timed)", 1e3 * seconds,
                     counted(facts.threads, "thread"),
                     format_count(facts.rehearsal.rows.labels / seconds),
                     counted(facts.rehearsal.timed_steps, "step"));
}

struct MemoryRange {
  double least;
  double most;
};

// Bytes, as measured (docs/plan.md). Chance moves the peak by up to a tenth: how much of the work
// of threads coincides, and whether the system has huge pages. The rehearsal writes neither the
// files of a run nor the page at the end.
MemoryRange memory_range(const PlanFacts& facts) {
  constexpr double files = 1.5e6;
  constexpr double page = 3e6;
  const auto rehearsed = static_cast<double>(facts.rehearsal.peak_bytes);
  return {.least = 0.9 * rehearsed,
          .most = 1.1 * rehearsed + files + (facts.options.run.report ? page : 0)};
}

std::string rows_text(const StepRows& rows) {
  return rows.source > 0
             ? fmt::format("{:.0f} source and {:.0f} target tokens", rows.source, rows.target)
             : fmt::format("{:.0f} tokens, {:.0f} of them with a label,", rows.target, rows.labels);
}

// How a training ends, and after how many seconds without evaluations.
struct TrainingEnd {
  double seconds;
  bool by_minutes;  // before its last step, if it has one
};

// None if only patience ends it.
std::optional<TrainingEnd> training_end(const PlanFacts& facts) {
  std::optional<TrainingEnd> end;
  if (facts.run.total_steps > 0) {
    end = {facts.rehearsal.seconds_per_step * static_cast<double>(facts.run.total_steps), false};
  }
  const auto minutes = facts.options.training.minutes;
  if (minutes && (!end || 60 * *minutes < end->seconds)) {
    end = {60 * *minutes, true};
  }
  return end;
}

std::string training_text(const PlanFacts& facts, const TrainingEnd& end) {
  const Index total = facts.run.total_steps;
  if (!end.by_minutes) {
    return fmt::format("{}, {} without evaluations", counted(total, "step"),
                       format_duration(end.seconds));
  }
  const std::string of = total > 0 ? fmt::format(" of {}", total) : "";
  return fmt::format("about {:.0f}{} steps, until training.minutes ends it after {}",
                     end.seconds / facts.rehearsal.seconds_per_step, of,
                     format_duration(end.seconds));
}

}  // namespace

std::string plan_table(const PlanFacts& facts) {
  Table table({Align::left, Align::left});
  table.row({"a step", fmt::format("{} on the mean, {} an epoch", rows_text(facts.rehearsal.rows),
                                   facts.run.steps_per_epoch)});
  table.row({"time per step", step_text(facts)});
  if (const auto end = training_end(facts)) {
    table.row({"training", training_text(facts, *end)});
  }
  if (const std::string rate = zero_rate_text(facts.options, facts.run); !rate.empty()) {
    table.row({"learning rate", rate});
  }
  const MemoryRange memory = memory_range(facts);
  table.row({"peak memory", fmt::format("{:.0f} to {:.0f} MB", std::floor(memory.least / 1e6),
                                        std::ceil(memory.most / 1e6))});
  return parts_table(parts_facts(facts)) + "\n\n" + table.text();
}

Json plan_json(const PlanFacts& facts) {
  Json parts = Json::array();
  const PartsFacts of_parts = parts_facts(facts);
  const auto numbers = [](const PartCost& cost) {
    return Json{{"parameters", cost.parameters},
                {"trained_parameters", cost.trained},
                {"multiply_adds", cost.multiply_adds},
                {"weight_bytes", cost.weight_bytes},
                {"activation_bytes", cost.activation_bytes}};
  };
  for (std::size_t i = 0; i < facts.rehearsal.parts.size(); ++i) {
    const ModelPart& part = facts.rehearsal.parts[i];
    Json row = {{"name", part.name}};
    row.update(numbers(cost_of(of_parts, i)));
    if (part.attention) {
      row["attention"] = {{"projections", part.attention->projections},
                          {"pairs", part.attention->pairs},
                          {"output", part.attention->output}};
    }
    parts.push_back(std::move(row));
  }
  const double seconds = facts.rehearsal.seconds_per_step;
  const Index steps = facts.run.total_steps;
  const std::optional<TrainingEnd> end = training_end(facts);
  const MemoryRange memory = memory_range(facts);
  return {{"config", facts.config},
          {"threads", facts.threads},
          {"parts", std::move(parts)},
          {"total", numbers(total_cost(of_parts))},
          {"step",
           {{"source_tokens", facts.rehearsal.rows.source},
            {"target_tokens", facts.rehearsal.rows.target},
            {"seconds", seconds},
            {"timed_steps", facts.rehearsal.timed_steps}}},
          {"steps_per_epoch", facts.run.steps_per_epoch},
          {"steps", steps > 0 ? Json(steps) : Json()},
          {"training_seconds", end ? Json(end->seconds) : Json()},
          {"peak_memory_bytes", facts.rehearsal.peak_bytes},
          {"peak_memory_range_bytes", {memory.least, memory.most}}};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
