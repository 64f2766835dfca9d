// The results of a sweep as CSV and as JSON.
#include "lab/sweep/chapters.hpp"

#include "train/output/figure_table.hpp"

namespace tapehead {

namespace {

std::string number(double value) { return fmt::format("{}", value); }

Json settings_json(const SweepPlan& plan, std::size_t cell) {
  Json settings = Json::object();
  for (std::size_t i = 0; i < plan.axes.size(); ++i) {
    settings[plan.axes[i]] = plan.cells[cell][i];
  }
  return settings;
}

Json difference_json(const std::optional<Difference>& difference) {
  if (!difference) {
    return nullptr;
  }
  return {{"difference", difference->mean},
          {"interval", {difference->low, difference->high}},
          {"p", difference->p},
          {"p_holm", difference->p_holm},
          {"pairs", difference->pairs},
          {"significant", difference->significant()}};
}

Json cell_json(const SweepPlan& plan, const SweepResults& results, std::size_t place) {
  const CellResult& cell = results.cells[place];
  Json json = {{"settings", settings_json(plan, cell.cell)},
               {"head_width", head_width(plan, results, place)},
               {"seeds", cell.runs}};
  for (const auto& [name, spread] : cell.figures.all) {
    json[name] = {{"mean", spread.mean},
                  {"deviation", spread.has_deviation() ? Json(spread.deviation) : Json()}};
  }
  json["to_best"] = difference_json(cell.to_best);
  json["best"] = place == results.best;
  json["cheapest_not_significantly_worse"] = results.is_cheapest(place);
  json["on_front"] = cell.on_front;
  return json;
}

}  // namespace

std::string runs_csv(const SweepPlan& plan, const SweepResults& results) {
  std::vector<std::string> header = plan.axes;
  header.insert(header.end(), {"seed", "run", "split", "examples", "steps"});
  header.insert(header.end(), results.figures.begin(), results.figures.end());
  std::string text = csv_line(header);
  for (const RunResult& result : results.runs) {
    const SweepRun& run = plan.runs[result.run];
    std::vector<std::string> line = plan.cells[run.cell];
    line.insert(line.end(), {std::to_string(result.seed), run.name, result.split,
                             std::to_string(result.examples), std::to_string(result.steps)});
    for (const std::string& name : results.figures) {
      const auto figure = result.figures.find(name);
      line.push_back(figure ? number(*figure) : "");
    }
    text += csv_line(line);
  }
  return text;
}

std::string cells_csv(const SweepPlan& plan, const SweepResults& results) {
  std::vector<std::string> header = plan.axes;
  header.emplace_back("seeds");
  for (const std::string& name : results.figures) {
    header.insert(header.end(), {name, name + "_deviation"});
  }
  header.insert(header.end(), {"to_best", "to_best_low", "to_best_high", "p", "p_holm", "pairs",
                               "best", "cheapest_not_significantly_worse", "on_front"});
  std::string text = csv_line(header);
  for (std::size_t place = 0; place < results.cells.size(); ++place) {
    const CellResult& cell = results.cells[place];
    std::vector<std::string> line = plan.cells[cell.cell];
    line.push_back(std::to_string(cell.runs));
    for (const std::string& name : results.figures) {
      const Spread figure = cell.figures.find(name).value_or(Spread());
      line.push_back(figure.count > 0 ? number(figure.mean) : "");
      line.push_back(figure.has_deviation() ? number(figure.deviation) : "");
    }
    if (const auto& difference = cell.to_best) {
      line.insert(line.end(), {number(difference->mean), number(difference->low),
                               number(difference->high), number(difference->p),
                               number(difference->p_holm), std::to_string(difference->pairs)});
    } else {
      line.insert(line.end(), 6, "");
    }
    for (const bool is : {place == results.best, results.is_cheapest(place), cell.on_front}) {
      line.emplace_back(is ? "true" : "false");
    }
    text += csv_line(line);
  }
  return text;
}

Json results_json(const SweepPlan& plan, const SweepResults& results) {
  Json json = {{"config", plan.config.string()},
               {"axes", plan.axes},
               {"metric", kind_of(results.metric).name},
               {"figures", results.figures},
               {"show", plan.show},
               {"resamples", resample_count},
               {"significance_level", significance_level},
               {"shared_seeds", results.shared_seeds}};
  json["chapters"] = chapters_json(plan.chapters);
  for (std::size_t i = 0; i < plan.chapters.size(); ++i) {
    json["chapters"][i]["answer"] = answer_of(plan.chapters[i], plan, results);
  }
  json["cells"] = mapped(numbers_below(results.cells.size()),
                         [&](std::size_t place) { return cell_json(plan, results, place); });
  json["comparisons"] = mapped(results.comparisons, [&](const CellComparison& comparison) -> Json {
    return {{"one", settings_json(plan, comparison.one)},
            {"other", settings_json(plan, comparison.other)},
            {"result", difference_json(comparison.difference)}};
  });
  json["runs"] = Json::array();
  for (const RunResult& result : results.runs) {
    const SweepRun& run = plan.runs[result.run];
    json["runs"].push_back({{"name", run.name},
                            {"settings", settings_json(plan, run.cell)},
                            {"seed", result.seed},
                            {"overrides", run.overrides},
                            {"split", result.split},
                            {"examples", result.examples},
                            {"steps", result.steps}});
    for (const auto& [name, figure] : result.figures.all) {
      json["runs"].back()[name] = figure;
    }
  }
  return json;
}

}  // namespace tapehead
