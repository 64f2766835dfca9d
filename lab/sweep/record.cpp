// The plan of a sweep in its directory.
#include "lab/sweep/plan.hpp"

#include "core/files/files.hpp"
#include "core/files/json_text.hpp"
#include "train/config/config.hpp"
#include "train/run/run_files.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

fs::path plan_file(const fs::path& directory) { return directory / "sweep.json"; }

SweepRun run_of(const JsonObject& json, std::size_t cells, const fs::path& directory) {
  const Json& seed = json.member("seed");
  if (!seed.is_number_unsigned()) {
    json.fail("seed", "a whole number from 0 on");
  }
  SweepRun run{
      .cell = static_cast<std::size_t>(json.count("cell", 0, static_cast<Index>(cells) - 1)),
      .name = json.text("name"),
      .overrides = json.texts("overrides")};
  if (run.name.empty() || run.name.find_first_of("/\\") != std::string::npos || run.name == "..") {
    json.fail("name", "the name of a directory in the sweep's");
  }
  const fs::path config = RunFiles{directory / run.name}.config();
  if (fs::exists(config)) {
    run.config = load_config(find_run(directory / run.name).config()).config;
  }
  run.config.seed = seed.get<std::uint64_t>();
  return run;
}

SweepCell cell_of(const Json& json, std::size_t axes, const std::string& where) {
  SweepCell cell;
  for (const Json& label : json) {
    if (label.is_string()) {
      cell.push_back(label.get<std::string>());
    }
  }
  if (!json.is_array() || cell.size() != axes || json.size() != axes) {
    throw IoError(fmt::format("{}: a cell has not one label for each of {} axes", where, axes));
  }
  return cell;
}

Metric metric_of(const JsonObject& json) {
  if (const auto metric = metric_named(json.text("metric"))) {
    return *metric;
  }
  json.fail("metric", "a metric");
}

SweepPlan plan_of(const Json& json, const fs::path& directory) {
  const std::string where = plan_file(directory).string();
  const JsonObject object(json, where);
  SweepPlan plan{.config = object.text("config"),
                 .axes = object.texts("axes"),
                 .metric = metric_of(object),
                 .split = object.text("split"),
                 .show = object.texts("show")};
  std::ranges::transform(plan.show, plan.show.begin(), present_name);
  for (const Json& labels : object.list("cells")) {
    plan.cells.push_back(cell_of(labels, plan.axes.size(), where));
  }
  for (const Json& run : object.list("runs")) {
    plan.runs.push_back(run_of(JsonObject(run, where), plan.cells.size(), directory));
  }
  return plan;
}

}  // namespace

bool is_sweep(const fs::path& directory) {
  return fs::is_regular_file(status_of(plan_file(directory)));
}

void write_sweep_plan(const fs::path& directory, const SweepPlan& plan) {
  Json json = {{"config", plan.config.string()},
               {"axes", plan.axes},
               {"metric", kind_of(plan.metric).name},
               {"split", plan.split},
               {"show", plan.show},
               {"cells", plan.cells},
               {"runs", Json::array()}};
  for (const SweepRun& run : plan.runs) {
    json["runs"].push_back({{"name", run.name},
                            {"cell", run.cell},
                            {"seed", run.config.seed},
                            {"overrides", run.overrides}});
  }
  write_file_atomically(plan_file(directory), json.dump(2) + '\n');
}

SweepPlan read_sweep_plan(const fs::path& directory) {
  const fs::path file = plan_file(directory);
  try {
    return plan_of(parse_json_file(file), directory);
  } catch (const IoError& error) {
    throw IoError(fmt::format("{}; the command `sweep` writes the plan again", error.what()));
  }
}

}  // namespace tapehead
