// The parts of a page that come from a run's files: its curves and its facts.
#include "lab/report/page.hpp"

#include "core/files/json_text.hpp"
#include "datasets/task_kind.hpp"
#include "lab/sweep/directory.hpp"
#include "train/config/config.hpp"
#include "train/output/text_table.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/run_record.hpp"

namespace tapehead {

namespace {

using Lines = std::vector<Json>;

Lines lines_of(const std::filesystem::path& file, Json& faults) {
  Lines lines;
  for_each_line(
      file,
      [&](const JsonObject& line) {
        line.count("step");
        lines.push_back(line.json());
      },
      [&](const std::string& where) {
        faults.push_back(fmt::format("{} is damaged, and left out", where));
      });
  return lines;
}

Index step_of(const Json& line) { return line.at("step").get<Index>(); }

// The names of the figures in the lines, in order of occurrence.
std::vector<std::string> figures_of(const Lines& lines) {
  static const std::set<std::string> no_figures{"step", "epoch", "tokens", "examples"};
  std::vector<std::string> names;
  std::set<std::string> known = no_figures;
  for (const Json& line : lines) {
    for (const auto& [name, value] : line.items()) {
      if ((value.is_number() || value.is_null()) && known.insert(name).second) {
        names.push_back(name);
      }
    }
  }
  return names;
}

Json mean(const Lines& lines, std::size_t first, std::size_t last, const std::string& name) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = first; i < last; ++i) {
    const auto found = lines[i].find(name);
    if (found != lines[i].end() && found->is_number()) {
      sum += found->get<double>();
      ++count;
    }
  }
  return count > 0 ? Json(sum / count) : Json();
}

std::map<Index, double> seconds_by_step(const std::filesystem::path& times, Json& faults) {
  std::map<Index, double> seconds{{0, 0}};
  for (const Json& line : lines_of(times, faults)) {
    if (line.contains("seconds") && line["seconds"].is_number()) {
      seconds[step_of(line)] = line["seconds"].get<double>();
    }
  }
  return seconds;
}

// Target tokens per second over lines first ... last - 1, timed from the step before the first.
Json rate(const Lines& lines, std::size_t first, std::size_t last,
          const std::map<Index, double>& seconds) {
  const auto begin = seconds.find(step_of(lines[first]) - 1);
  const auto end = seconds.find(step_of(lines[last - 1]));
  if (begin == seconds.end() || end == seconds.end() || end->second <= begin->second) {
    return {};
  }
  double tokens = 0;
  for (std::size_t i = first; i < last; ++i) {
    tokens += static_cast<double>(count_in(lines[i], "tokens").value_or(0));
  }
  return tokens / (end->second - begin->second);
}

// Each point is the mean over `width` lines and has the last line's step.
Json curves_of(const Lines& lines, std::size_t width) {
  Json curves = {{"step", Json::array()}};
  const std::vector<std::string> names = figures_of(lines);
  for (std::size_t first = 0; first < lines.size(); first += width) {
    const std::size_t last = std::min(first + width, lines.size());
    curves["step"].push_back(step_of(lines[last - 1]));
    for (const std::string& name : names) {
      curves[name].push_back(mean(lines, first, last, name));
    }
  }
  return curves;
}

Json training_curves(const Lines& lines, std::size_t width,
                     const std::map<Index, double>& seconds) {
  Json curves = curves_of(lines, width);
  for (std::size_t first = 0; first < lines.size(); first += width) {
    const std::size_t last = std::min(first + width, lines.size());
    curves["tokens_per_second"].push_back(rate(lines, first, last, seconds));
  }
  return curves;
}

// The samples that a language model generated at each evaluation.
Json samples_of(const Lines& evaluations) {
  Json samples = Json::array();
  for (const Json& line : evaluations) {
    const auto texts = line.find("samples");
    if (texts != line.end() && texts->is_array()) {
      samples.push_back({{"step", step_of(line)}, {"texts", *texts}});
    }
  }
  return samples;
}

// " of 600" or ", of 3 epochs"; empty if the config does not determine the training's length.
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
  origins.insert(loaded.origins.begin(), loaded.origins.end());  // origins in the record are kept
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

Json report_curves(const RunFiles& files) {
  Lines training;
  Lines evaluations;
  Json faults = Json::array();
  for (Json& line : lines_of(files.metrics(), faults)) {
    (line.contains("split") ? evaluations : training).push_back(std::move(line));
  }
  const std::size_t width = (training.size() + curve_points - 1) / curve_points;
  const std::map<Index, double> seconds = seconds_by_step(files.times(), faults);
  return {{"training", training_curves(training, width, seconds)},
          {"steps_a_point", width},
          {"evaluations", curves_of(evaluations, 1)},
          {"samples", samples_of(evaluations)},
          {"last_step", training.empty() ? 0 : step_of(training.back())},
          {"faults", std::move(faults)}};
}

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
