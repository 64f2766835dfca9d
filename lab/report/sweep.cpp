#include "lab/report/page.hpp"

#include "lab/run_scores.hpp"
#include "lab/sweep/directory.hpp"
#include "lab/sweep/results.hpp"
#include "lab/sweep/runner.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

using Scores = std::vector<std::optional<RunScores>>;

std::optional<RunScores> scores_of(const fs::path& run, const std::string& split, Json& faults) {
  if (!fs::exists(scores_file(run))) {
    return std::nullopt;
  }
  try {
    RunScores scores = read_scores(run);
    update_cost(scores, run);
    return split.empty() || scores.split == split ? std::optional(std::move(scores)) : std::nullopt;
  } catch (const std::runtime_error& error) {
    faults.push_back(fmt::format("{}; the run counts as not tested", error.what()));
    return std::nullopt;
  }
}

// A path as part of a URL: characters other than letters, digits and -._~/ become %XX (RFC 3986,
// section 2.1).
std::string address_of(const fs::path& path) {
  std::string address;
  for (const char c : path.generic_string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    address += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return address;
}

// The leading "./" keeps a name with a colon from being taken for a URL scheme.
void add_link(Json& progress, const fs::path& run, const fs::path& page) {
  const fs::path target = RunFiles{run}.report();
  const bool has_page = fs::is_regular_file(target);
  if (has_page || fs::is_directory(run)) {
    const fs::path from = fs::absolute(page).lexically_normal().parent_path();
    const fs::path relative =
        fs::absolute(has_page ? target : run / "").lexically_normal().lexically_relative(from);
    progress["link"] = "./" + address_of(relative);
    progress["has_page"] = has_page;
  }
}

Json progress_json(const SweepPlan& plan, const fs::path& directory, const Scores& scores,
                   const fs::path& page) {
  Json progress = Json::array();
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const SweepRun& run = plan.runs[i];
    std::string state = "finished";
    if (!scores[i]) {
      RunWatch watch(RunFiles{directory / run.name}.metrics(), plan.metric);
      const RunProgress& so_far = watch.look();
      state = !so_far.readable  ? "unknown: its metrics.jsonl cannot be read"
              : so_far.step > 0 ? progress_text(so_far, run.config.training)
                                : "not begun";
    }
    progress.push_back({{"run", run.name}, {"state", state}});
    add_link(progress.back(), directory / run.name, page);
  }
  return progress;
}

Json axes_json(const SweepPlan& plan) {
  Json axes = Json::array();
  for (std::size_t i = 0; i < plan.axes.size(); ++i) {
    std::vector<std::string> labels;
    for (const SweepCell& cell : plan.cells) {
      if (std::ranges::find(labels, cell[i]) == labels.end()) {
        labels.push_back(cell[i]);
      }
    }
    axes.push_back({{"name", plan.axes[i]}, {"labels", labels}});
  }
  return axes;
}

std::size_t finished_in(const Scores& scores) {
  return static_cast<std::size_t>(
      std::ranges::count_if(scores, [](const auto& one) { return one.has_value(); }));
}

Scores scores_of(const SweepPlan& plan, const fs::path& directory, Json& faults) {
  Scores scores;
  for (const SweepRun& run : plan.runs) {
    scores.push_back(scores_of(directory / run.name, plan.split, faults));
  }
  return scores;
}

Json state_json(std::size_t finished, std::size_t all, bool in_use) {
  const std::string count = fmt::format("{} of {} runs finished", finished, all);
  if (finished == all) {
    return {{"name", "finished"}, {"text", count}};
  }
  if (in_use) {
    return {{"name", "running"}, {"text", "still going on: " + count + " when this was written"}};
  }
  return {{"name", "unfinished"}, {"text", "unfinished: " + count}};
}

Json facts_json(const fs::path& directory, const SweepPlan& plan, const Scores& scores, bool in_use,
                const fs::path& page) {
  const auto name = fs::absolute(directory).lexically_normal();
  Json report = {
      {"kind", "sweep"},
      {"name", (name.has_filename() ? name : name.parent_path()).filename().string()},
      {"path", directory.string()},
      {"state", state_json(finished_in(scores), plan.runs.size(), in_use)},
      {"summary", Json::array()},
      {"notes", Json::array()},
      {"axes", axes_json(plan)},
      {"progress", progress_json(plan, directory, scores, page)},
      {"metrics", EnumNames<Metric>::names},
      {"lower_is_better", kind_of(plan.metric).lower_is_better},
  };
  report["summary"].push_back({"config", plan.config.string()});
  report["summary"].push_back({"cells", plan.cells.size()});
  report["summary"].push_back({"runs", plan.runs.size()});
  return report;
}

}  // namespace

Json report_sweep(const fs::path& directory, const fs::path& page) {
  const SweepPlan plan = read_sweep_plan(directory);
  Json faults = Json::array();
  const Scores scores = scores_of(plan, directory, faults);
  Json report = facts_json(directory, plan, scores, is_in_use(directory), page);
  report["notes"] = std::move(faults);
  report["results"] =
      finished_in(scores) > 0 ? results_json(plan, sweep_results(plan, scores)) : Json();
  return report;
}

Json report_ended_sweep(const fs::path& directory, const SweepPlan& plan, Json results) {
  Json faults = Json::array();
  Json report = facts_json(directory, plan, scores_of(plan, directory, faults), false,
                           RunFiles{directory}.report());
  report["notes"] = std::move(faults);
  report["results"] = std::move(results);
  return report;
}

}  // namespace tapehead
