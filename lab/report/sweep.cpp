#include "lab/report/page.hpp"

#include "lab/sweep/directory.hpp"
#include "lab/sweep/results.hpp"
#include "lab/sweep/runner.hpp"

namespace tapehead {

namespace {

using Scores = std::vector<std::optional<RunScores>>;

std::optional<RunScores> scores_of(const fs::path& run, const std::string& split, Json& faults) {
  if (!fs::exists(RunFiles{run}.scores())) {
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

Json progress_json(const SweepPlan& plan, const fs::path& directory, const Scores& scores,
                   const fs::path& page) {
  Json progress = Json::array();
  const fs::path page_directory = fs::absolute(page).lexically_normal().parent_path();
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const SweepRun& run = plan.runs[i];
    const RunFiles files{directory / run.name};
    std::string state = "finished";
    if (!scores[i]) {
      RunWatch watch(files.metrics(), plan.metric);
      const RunProgress& so_far = watch.look();
      state = !so_far.readable  ? "unknown: its metrics.jsonl cannot be read"
              : so_far.step > 0 ? progress_text(so_far, run.config.training)
                                : "not begun";
    }
    progress.push_back({{"run", run.name}, {"state", state}});
    const fs::path target = files.report();
    const bool has_page = fs::is_regular_file(target);
    if (has_page || fs::is_directory(files.directory)) {
      const fs::path own = fs::absolute(has_page ? target : files.directory / "");
      // The leading "./" keeps a name with a colon from being taken for a URL scheme.
      progress.back()["link"] =
          "./" + address_of(own.lexically_normal().lexically_relative(page_directory));
      progress.back()["has_page"] = has_page;
    }
  }
  return progress;
}

// For each setting of the axis: the maps of its first run that has them.
Json maps_json(const SweepPlan& plan, const Scores& scores) {
  Json maps = Json::object();
  for (std::size_t i = 0; i < plan.runs.size() && !plan.chapters.empty(); ++i) {
    const std::string& point = plan.cells[plan.runs[i].cell].front();
    if (scores[i] && !scores[i]->maps.is_null() && !maps.contains(point)) {
      maps[point] = scores[i]->maps;
    }
  }
  return maps;
}

// Takes the walks out of the maps, and returns the one of the first setting of the first question.
Json take_walk(Json& maps, const SweepPlan& plan) {
  Json walk;
  for (const auto& [point, sentence] : maps.items()) {
    if (point == plan.chapters.front().points.front().name && sentence.contains("walk")) {
      walk = sentence["walk"];
      walk["point"] = point;
    }
    sentence.erase("walk");
  }
  return walk;
}

Json axes_json(const SweepPlan& plan) {
  return mapped(numbers_below(plan.axes.size()), [&](std::size_t i) -> Json {
    std::vector<std::string> labels;
    for (const SweepCell& cell : plan.cells) {
      if (std::ranges::count(labels, cell[i]) == 0) {
        labels.push_back(cell[i]);
      }
    }
    return {{"name", plan.axes[i]}, {"labels", labels}};
  });
}

// `results`: the results of an ended sweep; null for a sweep that may still go on.
Json report_of(const fs::path& directory, const SweepPlan& plan, const fs::path& page,
               Json results) {
  Json faults = Json::array();
  const Scores scores = mapped(plan.runs, [&](const SweepRun& run) {
    return scores_of(directory / run.name, plan.split, faults);
  });
  const auto finished =
      std::ranges::count_if(scores, [](const auto& one) { return one.has_value(); });
  const bool in_use = results.is_null() && is_in_use(directory);
  if (results.is_null() && finished > 0) {
    results = results_json(plan, sweep_results(plan, scores));
  }
  Json maps = maps_json(plan, scores);
  Json walk = take_walk(maps, plan);
  const auto name = fs::absolute(directory).lexically_normal();
  const std::string count = fmt::format("{} of {} runs finished", finished, plan.runs.size());
  const auto [state, text] =
      finished == std::ssize(plan.runs) ? std::pair("finished", count)
      : in_use ? std::pair("running", "still going on: " + count + " when this was written")
               : std::pair("unfinished", "unfinished: " + count);
  return {{"kind", "sweep"},
          {"name", (name.has_filename() ? name : name.parent_path()).filename().string()},
          {"path", directory.string()},
          {"state", {{"name", state}, {"text", text}}},
          {"summary", Json::array({Json::array({"config", plan.config.string()}),
                                   Json::array({"cells", plan.cells.size()}),
                                   Json::array({"runs", plan.runs.size()})})},
          {"notes", std::move(faults)},
          {"axes", axes_json(plan)},
          {"maps", std::move(maps)},
          {"walk", std::move(walk)},
          {"progress", progress_json(plan, directory, scores, page)},
          {"metrics", EnumNames<Metric>::names},
          {"lower_is_better", kind_of(plan.metric).lower_is_better},
          {"results", std::move(results)}};
}

}  // namespace

Json report_sweep(const fs::path& directory, const fs::path& page) {
  return report_of(directory, read_sweep_plan(directory), page, {});
}

Json report_ended_sweep(const fs::path& directory, const SweepPlan& plan, Json results) {
  return report_of(directory, plan, RunFiles{directory}.report(), std::move(results));
}

}  // namespace tapehead
