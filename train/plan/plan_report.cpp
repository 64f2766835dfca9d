#include "train/plan/plan_report.hpp"

#include "core/scalar.hpp"
#include "core/version.hpp"
#include "train/model_training.hpp"
#include "train/output/figure_table.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

std::string splits_text(const Task& task) {
  const auto text_of_split = [](const Split& split) {
    return fmt::format("{} {}{}", split.name, split.size(),
                       split.dropped > 0 ? fmt::format(" ({} dropped)", split.dropped) : "");
  };
  return join(mapped(task.splits, text_of_split), ", ");
}

std::string vocabulary_text(const Task& task) {
  const Index source = task.source_tokenizer->size();
  const Index target = task.target_tokenizer->size();
  return source == target
             ? fmt::format("{} entries", source)
             : fmt::format("{} entries for the source, {} for the target", source, target);
}

std::string length_text(const TrainingOptions& training, Index steps_per_epoch) {
  std::vector<std::string> limits;
  if (training.steps) {
    limits.push_back(fmt::format("step {}", *training.steps));
  }
  if (training.epochs) {
    limits.push_back(fmt::format("epoch {}", *training.epochs));
  }
  if (training.minutes) {
    limits.push_back(fmt::format("{} min have passed", *training.minutes));
  }
  if (training.patience > 0) {
    limits.push_back(
        fmt::format("{} without improvement", counted(training.patience, "evaluation")));
  }
  return fmt::format("{} an epoch; until {}", counted(steps_per_epoch, "step"),
                     join(limits, " or "));
}

std::string threads_text(const StartFacts& facts) {
  const Index shards = facts.config.training.shards.value_or(1);
  const auto& [threads, from] = facts.threads;
  std::string text =
      fmt::format("{}{}, {} a batch", counted(threads, "thread"),
                  from.empty() ? "" : fmt::format(" ({})", from), counted(shards, "shard"));
  if (facts.exchange.empty() && threads > shards) {
    text += fmt::format(" (training.shards: {} would use all threads)", threads);
  }
  return text;
}

// "4.3 k", or "4.3 k, 1.2 k trained" if some are frozen.
std::string parameters_text(Index parameters, Index trained) {
  const auto number = [](Index count) { return format_count(static_cast<double>(count)); };
  return trained == parameters ? number(parameters)
                               : fmt::format("{}, {} trained", number(parameters), number(trained));
}

// Bytes needed all the time: parameters and, for trained parameters, the optimiser's state and a
// gradient for each shard.
double weight_bytes(const ModelPart& part, const TrainingOptions& training) {
  const OptimizerTraits& optimizer = traits_of(training.optimizer);
  const Index state = part.in_matrices * std::ssize(optimizer.moments_of(ParameterKind::matrix)) +
                      (part.trained - part.in_matrices) * std::ssize(optimizer.moments);
  return static_cast<double>(part.parameters + part.trained * *training.shards + state) *
         static_cast<double>(sizeof(Scalar));
}

// The cost of a part. The options must be resolved and outlive the rows.
std::vector<FigureRow<ModelPart>> cost_rows(const TrainingOptions& training, Index threads) {
  using Part = const ModelPart&;
  const auto weights = [&training](Part part) { return weight_bytes(part, training); };
  // Bytes that forward passes keep for the backward pass, for as many shards as are computed in
  // parallel.
  const auto parallel = static_cast<double>(std::min(threads, *training.shards));
  const auto activations = [parallel](Part part) {
    return parallel * static_cast<double>(part.activations);
  };
  const auto megabytes = [](double bytes) { return fmt::format("{:.1f}", bytes / 1e6); };
  return {{.key = "name", .column = "part", .of = &ModelPart::name},
          {"parameters", "parameters", "", &ModelPart::parameters, "",
           [](Part part) { return parameters_text(part.parameters, part.trained); }},
          {.key = "trained_parameters", .of = &ModelPart::trained},
          {"multiply_adds", "multiply-adds a step", "", &ModelPart::multiply_adds, "",
           [](Part part) { return format_count(part.multiply_adds); }},
          {"weight_bytes", "weights MB", "", weights, "",
           [=](Part part) { return megabytes(weights(part)); }},
          {"activation_bytes", "activations MB", "", activations, "",
           [=](Part part) { return megabytes(activations(part)); }}};
}

ModelPart sum_of(const std::vector<ModelPart>& parts) {
  ModelPart sum{.name = "all"};
  for (const ModelPart& part : parts) {
    sum.parameters += part.parameters;
    sum.trained += part.trained;
    sum.in_matrices += part.in_matrices;
    sum.multiply_adds += part.multiply_adds;
    sum.activations += part.activations;
  }
  return sum;
}

// The multiply-adds of a part's attentions. The table has a line for each below the part.
const std::vector<FigureRow<AttentionParts>>& attention_rows() {
  static const std::vector<FigureRow<AttentionParts>> rows{
      {"projections", "queries, keys, values", "", &AttentionParts::projections},
      {"pairs", "scores, weighted values", "", &AttentionParts::pairs},
      {"output", "output", "", &AttentionParts::output}};
  return rows;
}

// The range of the peak in bytes, least and most, from measurements (docs/plan.md). The timing of
// threads and huge pages of the system change the peak by up to a tenth. The rehearsal writes
// neither the files of a run nor the page at the end, so their memory is added.
std::pair<double, double> memory_range(const PlanFacts& facts) {
  constexpr double files = 1.5e6;
  constexpr double page = 3e6;
  const auto rehearsed = static_cast<double>(facts.rehearsal.peak_bytes);
  return {0.9 * rehearsed, 1.1 * rehearsed + files + (facts.options.run.report ? page : 0)};
}

// When a training ends. The seconds do not include evaluations.
struct TrainingEnd {
  double seconds;
  bool by_minutes;  // training.minutes ends it, before the last step
};

// Empty if only patience ends the training.
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

std::string parts_table(const std::vector<ModelPart>& parts, const TrainingOptions& training,
                        Index threads) {
  auto rows = cost_rows(training, threads);
  std::erase_if(rows, [](const auto& row) { return row.column.empty(); });
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right},
              mapped(rows, &FigureRow<ModelPart>::column));
  const auto add = [&](const ModelPart& part) {
    table.row(mapped(rows, [&](const auto& row) { return text_of(row, part); }));
  };
  for (const ModelPart& part : parts) {
    add(part);
    for (const FigureRow<AttentionParts>& row : attention_rows()) {
      if (part.attention) {
        const double work = value_of(row, *part.attention);
        table.row({"  " + row.column, "", format_count(work)});
      }
    }
  }
  table.rule();
  add(sum_of(parts));
  return table.text();
}

}  // namespace

std::string decay_text(const ParameterStore& store, const TrainingOptions& options) {
  using enum ParameterKind;
  // Weights are all kinds without a decay option, except gates, which have their own group.
  constexpr std::array<std::pair<ParameterKind, std::string_view>, 5> groups{
      {{matrix, "weights"},
       {embedding, "embeddings"},
       {gain, "gains"},
       {bias, "biases"},
       {gate, "gates"}}};
  std::map<ParameterKind, Index> counts;
  for (const NamedParameter& parameter : store.parameters()) {
    const bool own = std::ranges::count(groups | std::views::keys, parameter.kind) > 0;
    counts[own ? parameter.kind : matrix] += parameter.frozen ? 0 : parameter.shape.size();
  }
  std::vector<std::string> decaying;
  std::vector<std::string> others;
  for (const auto& [kind, name] : groups) {
    if (counts[kind] > 0) {
      (decays(options, kind) ? decaying : others)
          .push_back(fmt::format("{} {}", counts[kind], name));
    }
  }
  return fmt::format("{} on {}{}", options.weight_decay, join(decaying, ", "),
                     others.empty() ? "" : "; not on " + join(others, ", "));
}

std::string start_table(const StartFacts& facts) {
  const Config& config = facts.config;
  const Source& training = *facts.task.split("train").source;
  Index target_tokens = 0;
  for (Index i = 0; i < training.size(); ++i) {
    target_tokens += training.at(i).predicted;
  }
  Table table({Align::left, Align::left});
  table.row({"run", facts.run});
  table.row({"parameters", parameters_text(facts.store.count(), facts.store.trained_count())});
  table.row({"examples", splits_text(facts.task)});
  table.row({"vocabulary", vocabulary_text(facts.task)});
  table.row({"target tokens", fmt::format("{} an epoch, {} a batch",
                                          format_count(static_cast<double>(target_tokens)),
                                          config.training.batch_tokens)});
  table.row({"length", length_text(config.training, facts.run_plan.steps_per_epoch)});
  if (const auto memory = memory_size(config)) {
    table.row(
        {"memory", fmt::format("{} for each of {} and {}", counted(memory->rows, "row"),
                               counted(memory->layers, "layer"), counted(memory->lanes, "lane"))});
  }
  if (const std::string rate = zero_rate_text(config, facts.run_plan); !rate.empty()) {
    table.row({"learning rate", rate});
  }
  if (config.training.weight_decay > 0) {
    table.row({"weight decay", decay_text(facts.store, config.training)});
  }
  table.row({"work", threads_text(facts)});
  if (!facts.exchange.empty()) {
    table.row({"ranks", facts.exchange});
  }
  table.row({"kernels", fmt::format("{} ({})", kernel_level(), vector_instructions())});
  if (const std::string_view unit = unit_name(config.training.precision); !unit.empty()) {
    table.row({"products", fmt::format("bfloat16 by {}", unit)});
  }
  table.row(
      {"BLAS", fmt::format("OpenBLAS, {} kernels{}, 1 thread for each worker", facts.blas.kernels,
                           facts.blas.switched ? " (chosen by tapehead)" : "")});
  return table.text() + "\n\n" + parts_table(facts.parts, config.training, facts.threads.count) +
         "\n";
}

std::string plan_table(const PlanFacts& facts) {
  Table table({Align::left, Align::left});
  const StepRows& rows = facts.rehearsal.rows;
  const std::string rows_text =
      rows.source > 0
          ? fmt::format("{:.0f} source and {:.0f} target tokens", rows.source, rows.target)
          : fmt::format("{:.0f} tokens, {:.0f} of them with a label,", rows.target, rows.labels);
  table.row({"a step", fmt::format("{} on average, {} steps an epoch", rows_text,
                                   facts.run.steps_per_epoch)});
  const double seconds = facts.rehearsal.seconds_per_step;
  table.row({"time per step",
             fmt::format("{:.3g} ms by {}, {} target tokens/s ({} timed)", 1e3 * seconds,
                         counted(facts.threads, "thread"), format_count(rows.labels / seconds),
                         counted(facts.rehearsal.timed_steps, "step"))});
  if (const auto end = training_end(facts)) {
    table.row({"training", training_text(facts, *end)});
  }
  if (const std::string rate = zero_rate_text(facts.options, facts.run); !rate.empty()) {
    table.row({"learning rate", rate});
  }
  const auto [least, most] = memory_range(facts);
  table.row({"peak memory",
             fmt::format("{:.0f} to {:.0f} MB", std::floor(least / 1e6), std::ceil(most / 1e6))});
  return parts_table(facts.rehearsal.parts, facts.options.training, facts.threads) + "\n\n" +
         table.text();
}

Json plan_json(const PlanFacts& facts) {
  const auto rows = cost_rows(facts.options.training, facts.threads);
  const auto part_json = [&](const ModelPart& part) {
    Json json = json_of(rows, part);
    if (part.attention) {
      json["attention"] = json_of(attention_rows(), *part.attention);
    }
    return json;
  };
  Json total = json_of(rows, sum_of(facts.rehearsal.parts));
  total.erase("name");
  const Index steps = facts.run.total_steps;
  const std::optional<TrainingEnd> end = training_end(facts);
  const auto [least, most] = memory_range(facts);
  return {{"config", facts.config},
          {"threads", facts.threads},
          {"parts", mapped(facts.rehearsal.parts, part_json)},
          {"total", std::move(total)},
          {"step",
           {{"source_tokens", facts.rehearsal.rows.source},
            {"target_tokens", facts.rehearsal.rows.target},
            {"seconds", facts.rehearsal.seconds_per_step},
            {"timed_steps", facts.rehearsal.timed_steps}}},
          {"steps_per_epoch", facts.run.steps_per_epoch},
          {"steps", steps > 0 ? Json(steps) : Json()},
          {"training_seconds", end ? Json(end->seconds) : Json()},
          {"peak_memory_bytes", facts.rehearsal.peak_bytes},
          {"peak_memory_range_bytes", {least, most}}};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
