#include "lab/sweep_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "train/config/config.hpp"
#include "train/run/run_files.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

fs::path plan_file(const fs::path& directory) { return directory / "sweep.json"; }

SweepRun run_of(const Json& json, const fs::path& directory) {
  SweepRun run{.cell = json.at("cell"),
               .name = json.at("name"),
               .overrides = json.at("overrides"),
               .config = {}};
  const fs::path config = RunFiles{directory / run.name}.config();
  if (fs::exists(config)) {
    run.config = load_config(config).config;
  }
  run.config.seed = json.at("seed");
  return run;
}

SweepPlan plan_of(const Json& json, const fs::path& directory) {
  const auto& metrics = EnumNames<Metric>::names;
  const auto metric = std::ranges::find(metrics, json.at("metric").get<std::string>());
  SweepPlan plan{.config = json.at("config").get<std::string>(),
                 .axes = json.at("axes"),
                 .cells = {},
                 .runs = {},
                 .metric = static_cast<Metric>(metric - metrics.begin()),
                 .split = json.at("split"),
                 .show = json.at("show")};
  for (const Json& labels : json.at("cells")) {
    plan.cells.push_back({.labels = labels});
  }
  for (const Json& run : json.at("runs")) {
    plan.runs.push_back(run_of(run, directory));
  }
  return plan;
}

}  // namespace

bool is_sweep(const fs::path& directory) {
  std::error_code ignored;
  return fs::is_regular_file(plan_file(directory), ignored);
}

void write_sweep_plan(const fs::path& directory, const SweepPlan& plan) {
  Json json = {{"config", plan.config.string()},
               {"axes", plan.axes},
               {"metric", EnumNames<Metric>::names[static_cast<std::size_t>(plan.metric)]},
               {"split", plan.split},
               {"show", plan.show},
               {"cells", Json::array()},
               {"runs", Json::array()}};
  for (const SweepCell& cell : plan.cells) {
    json["cells"].push_back(cell.labels);
  }
  for (const SweepRun& run : plan.runs) {
    json["runs"].push_back({{"name", run.name},
                            {"cell", run.cell},
                            {"seed", run.config.seed},
                            {"overrides", run.overrides}});
  }
  write_file_atomically(plan_file(directory), json.dump(2) + '\n');
}

SweepPlan read_sweep_plan(const fs::path& directory) {
  const std::string text = read_file(plan_file(directory));
  try {
    return plan_of(Json::parse(text), directory);
  } catch (const Json::exception& error) {
    throw IoError(fmt::format("{} is no plan of a sweep ({}); `tapehead sweep` writes it anew",
                              plan_file(directory).string(), error.what()));
  }
}

}  // namespace tapehead
