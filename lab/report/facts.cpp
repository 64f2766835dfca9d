// The facts about a run.
#include "lab/report/records.hpp"

#include "datasets/task_kind.hpp"
#include "lab/sweep/directory.hpp"
#include "train/config/config.hpp"
#include "train/output/text_table.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/run_record.hpp"

namespace tapehead {

namespace {

// "of 600 steps", as far as the config determines the length of the training.
std::string planned_text(const TrainingOptions& training) {
  if (training.steps) {
    return fmt::format(" of {}", *training.steps);
  }
  return training.epochs ? fmt::format(", of {}", counted(*training.epochs, "epoch")) : "";
}

Json state_of(const RunFiles& files, const std::optional<RunRecord>& record,
              const TrainingOptions& training, Index step) {
  const std::string where = fmt::format("step {}{}", step, planned_text(training));
  if (record && record->end) {
    return {{"name", "finished"},
            {"text", fmt::format("finished after {}", counted(step, "step"))}};
  }
  if (is_locked(files.lock())) {
    return {{"name", "training"},
            {"text", fmt::format("still training: this page was written at {}", where)}};
  }
  if (step == 0) {
    return {{"name", "waiting"}, {"text", "has not made a step yet"}};
  }
  if (!record) {
    return {{"name", "unknown"},
            {"text", fmt::format("at {}; it keeps no record of its end", where)}};
  }
  return {{"name", "stopped"},
          {"text", fmt::format("unfinished: stopped at {}, and can be resumed", where)}};
}

Json config_json(const LoadedConfig& loaded, const std::optional<RunRecord>& record) {
  Json options = Json::array();
  auto origins = record ? record->origins : std::map<std::string, std::string>();
  origins.insert(loaded.origins.begin(), loaded.origins.end());  // those of the record stay
  for (const auto& [option, value] : option_values(loaded.config)) {
    options.push_back({{"option", option}, {"value", value}, {"origin", origins[option]}});
  }
  return options;
}

Json environment_json(const std::optional<RunRecord>& record, const Config& config) {
  Json facts = Json::array();
  facts.push_back({"seed", config.seed});
  if (!record || record->starts.empty()) {
    facts.push_back({"machine", "not recorded"});
    return facts;
  }
  for (const RunStart& start : record->starts) {
    const std::string which =
        record->starts.size() > 1 ? fmt::format(" from step {}", start.step) : "";
    facts.push_back({"version" + which, "tapehead " + start.version});
    facts.push_back({"processor" + which, start.processor});
    if (!start.level.empty()) {
      facts.push_back({"kernels" + which, start.level});
    }
    facts.push_back({"BLAS kernels" + which, "OpenBLAS, " + start.kernels});
    facts.push_back({"threads" + which, start.threads});
    if (start.ranks > 1) {
      facts.push_back({"ranks" + which, start.ranks});
    }
  }
  return facts;
}

std::string task_name(const Config& config) { return std::string(config.task.kind().name); }

std::string width_text(const ModelOptions& model) {
  const Index encoder = model.layers_of(StackName::encoder);
  const Index decoder = model.layers_of(StackName::decoder);
  const std::string layers = model.traits().context
                                 ? fmt::format("{} + {} layers", encoder, decoder)
                                 : counted(encoder + decoder, "layer");
  return fmt::format("{}, width {}", layers, model.d_model);
}

}  // namespace

Json run_facts(const RunFiles& files, Index last_step) {
  const LoadedConfig loaded = load_config(files.config());
  const auto record = read_record(files.record());
  const Config& config = loaded.config;
  const std::filesystem::path named = std::filesystem::absolute(files.directory).lexically_normal();
  const std::string name = (named.has_filename() ? named : named.parent_path()).filename().string();
  Json report = {{"kind", "run"},
                 {"name", name},
                 {"path", files.directory.string()},
                 {"task", task_name(config)},
                 {"metric", kind_of(config.evaluation.metric).name},
                 {"state", state_of(files, record, config.training, last_step)},
                 {"summary", Json::array()}};
  Json& summary = report["summary"];
  summary.push_back({"task", task_name(config)});
  summary.push_back({"model", width_text(config.model)});
  summary.push_back({"steps", last_step});
  const double seconds = read_elapsed_seconds(files.checkpoints());
  if (seconds > 0) {
    summary.push_back({"time in steps", format_duration(seconds)});
  }
  if (record && record->end) {
    report["tests"] = record->end->tests;
  }
  report["config"] = config_json(loaded, record);
  report["environment"] = environment_json(record, config);
  return report;
}

}  // namespace tapehead
