// The parts of a page that come from a run's files: its curves and its facts.
#include "lab/report/page.hpp"

#include "datasets/task_kind.hpp"
#include "lab/sweep/directory.hpp"
#include "train/output/text_table.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/run_record.hpp"

namespace tapehead {

namespace {

using Lines = std::vector<Json>;

Lines lines_of(const fs::path& file, Json& faults) {
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

Json mean(std::span<const Json> lines, const std::string& name) {
  double sum = 0;
  double count = 0;
  for (const Json& line : lines) {
    const auto found = line.find(name);
    if (found != line.end() && found->is_number()) {
      sum += found->get<double>();
      ++count;
    }
  }
  return count > 0 ? Json(sum / count) : Json();
}

// Target tokens per second, timed from the step before the first line.
Json rate(std::span<const Json> lines, const std::map<Index, double>& seconds) {
  const auto begin = seconds.find(step_of(lines.front()) - 1);
  const auto end = seconds.find(step_of(lines.back()));
  if (begin == seconds.end() || end == seconds.end() || end->second <= begin->second) {
    return {};
  }
  double tokens = 0;
  for (const Json& line : lines) {
    tokens += static_cast<double>(count_in(line, "tokens").value_or(0));
  }
  return tokens / (end->second - begin->second);
}

// Each point is the mean over `width` lines and has the last line's step. `seconds`: null, or the
// time at each step for the curve of the rate.
Json curves_of(const Lines& lines, std::size_t width, const std::map<Index, double>* seconds) {
  Json curves = {{"step", Json::array()}};
  std::vector<std::string> names;  // of the figures, in order of occurrence
  std::set<std::string> known{"step", "epoch", "tokens", "examples"};
  for (const Json& line : lines) {
    for (const auto& [name, value] : line.items()) {
      if ((value.is_number() || value.is_null()) && known.insert(name).second) {
        names.push_back(name);
      }
    }
  }
  for (std::size_t first = 0; first < lines.size(); first += width) {
    const auto point = std::span(lines).subspan(first, std::min(width, lines.size() - first));
    curves["step"].push_back(step_of(point.back()));
    for (const std::string& name : names) {
      curves[name].push_back(mean(point, name));
    }
    if (seconds != nullptr) {
      curves["tokens_per_second"].push_back(rate(point, *seconds));
    }
  }
  return curves;
}

// The name and the text of the state.
std::pair<const char*, std::string> state_of(const RunFiles& files,
                                             const std::optional<RunRecord>& record,
                                             const TrainingOptions& training, Index step) {
  std::string where = fmt::format("step {}", step);
  if (training.steps) {
    where += fmt::format(" of {}", *training.steps);
  } else if (training.epochs) {
    where += fmt::format(", of {}", counted(*training.epochs, "epoch"));
  }
  if (record && record->end) {
    return {"finished", "finished after " + counted(step, "step")};
  }
  if (is_locked(files.lock())) {
    return {"training", "still training: this page was written at " + where};
  }
  if (step == 0) {
    return {"waiting", "has not made a step yet"};
  }
  if (!record) {
    return {"unknown", fmt::format("at {}; the run has no record of its end", where)};
  }
  return {"stopped", fmt::format("unfinished: stopped at {}, and can be resumed", where)};
}

Json environment_json(const std::optional<RunRecord>& record, const Config& config) {
  Json facts = Json::array({Json::array({"seed", config.seed})});
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
    if (!start.unit.empty()) {
      facts.push_back({"products" + which, start.precision + ", " + start.unit});
    }
    facts.push_back({"threads" + which, start.threads});
    if (start.ranks > 1) {
      facts.push_back({"ranks" + which, start.ranks});
    }
  }
  return facts;
}

}  // namespace

Json report_curves(const RunFiles& files) {
  Lines training;
  Lines evaluations;
  Json faults = Json::array();
  for (Json& line : lines_of(files.metrics(), faults)) {
    (line.contains("split") ? evaluations : training).push_back(std::move(line));
  }
  const auto lines_a_point = [](const Lines& lines) {
    return std::max<std::size_t>(1, (lines.size() + curve_points - 1) / curve_points);
  };
  std::map<Index, double> seconds{{0, 0}};
  for (const Json& line : lines_of(files.times(), faults)) {
    if (line.contains("seconds") && line["seconds"].is_number()) {
      seconds[step_of(line)] = line["seconds"].get<double>();
    }
  }
  Json samples = Json::array();  // that a language model generated at each evaluation
  for (const Json& line : evaluations) {
    if (const auto texts = line.find("samples"); texts != line.end() && texts->is_array()) {
      samples.push_back({{"step", step_of(line)}, {"texts", *texts}});
    }
  }
  constexpr Index most_samples = 100;
  if (const Index older = std::ssize(samples) - most_samples; older > 0) {
    samples.erase(samples.begin(), samples.begin() + older);
    faults.push_back(
        fmt::format("The page has the samples of the last {} evaluations.", most_samples));
  }
  return {{"training", curves_of(training, lines_a_point(training), &seconds)},
          {"steps_a_point", lines_a_point(training)},
          {"evaluations", curves_of(evaluations, lines_a_point(evaluations), nullptr)},
          {"evaluations_a_point", lines_a_point(evaluations)},
          {"samples", std::move(samples)},
          {"last_step", training.empty() ? 0 : step_of(training.back())},
          {"faults", std::move(faults)}};
}

Json run_facts(const RunFiles& files, Index last_step) {
  const LoadedConfig loaded = load_config(files.config());
  const auto record = read_record(files.record());
  const Config& config = loaded.config;
  const ModelOptions& model = config.model;
  const std::string task(config.task.kind().name);
  const Index encoder = model.layers_of(StackName::encoder);
  const Index decoder = model.layers_of(StackName::decoder);
  const std::string layers = model.traits().context
                                 ? fmt::format("{} + {} layers", encoder, decoder)
                                 : counted(encoder + decoder, "layer");
  const fs::path named = fs::absolute(files.directory).lexically_normal();
  const std::string name = (named.has_filename() ? named : named.parent_path()).filename().string();
  const auto [state, text] = state_of(files, record, config.training, last_step);
  Json report = {{"kind", "run"},
                 {"name", name},
                 {"path", files.directory.string()},
                 {"task", task},
                 {"metric", kind_of(config.evaluation.metric).name},
                 {"state", {{"name", state}, {"text", text}}},
                 {"summary", Json::array()}};
  Json& summary = report["summary"];
  summary.push_back({"task", task});
  summary.push_back({"model", fmt::format("{}, width {}", layers, model.d_model)});
  summary.push_back({"steps", last_step});
  const double seconds = read_elapsed_seconds(files.checkpoints());
  if (seconds > 0) {
    summary.push_back({"time in steps", format_duration(seconds)});
  }
  if (record && record->end) {
    report["tests"] = record->end->tests;
  }
  auto origins = record ? record->origins : std::map<std::string, std::string>();
  origins.insert(loaded.origins.begin(), loaded.origins.end());  // origins in the record are kept
  for (const auto& [option, value] : option_values(config)) {
    report["config"].push_back({{"option", option}, {"value", value}, {"origin", origins[option]}});
  }
  report["environment"] = environment_json(record, config);
  return report;
}

}  // namespace tapehead
