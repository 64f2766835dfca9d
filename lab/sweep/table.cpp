// The table of a sweep's results.

#include "core/text.hpp"
#include "lab/sweep/results.hpp"
#include "nn/attention/spec.hpp"
#include "train/output/text_table.hpp"

namespace tapehead {

namespace {

std::string remarks(const SweepResults& results, std::size_t place) {
  const CellResult& cell = results.cells[place];
  std::string text;
  if (place == results.best) {
    text = "best";
  } else if (!cell.to_best) {
    text = "not comparable";
  } else if (!cell.to_best->significant()) {
    text = "not significant";
  } else {
    text = better_than_best(results, cell) ? "better on shared seeds" : "significant";
  }
  if (results.is_cheapest(place)) {
    text += results.cheapest.size() > 1 ? ", cheapest (tie)" : ", cheapest";
  }
  return text + (cell.on_front ? ", front" : "");
}

std::vector<std::string> row_of(const SweepPlan& plan, const SweepResults& results,
                                std::size_t place) {
  const CellResult& cell = results.cells[place];
  const SweepFigures<Spread>& figures = cell.figures;
  const Spread metric = results.metric_of(cell);
  const bool compared = cell.to_best && place != results.best;
  std::vector<std::string> row = plan.cells[cell.cell];
  const auto text = [&](double value) { return metric_text(kind_of(results.metric), value); };
  row.insert(row.end(), {fmt::format("{}/{}", cell.runs,
                                     std::ranges::count(plan.runs, cell.cell, &SweepRun::cell)),
                         text(metric.mean) + (cell.runs > 1 ? " ± " + text(metric.deviation) : ""),
                         compared ? text(cell.to_best->mean) : "",
                         compared ? fmt::format("{:.3f}", cell.to_best->p) : "",
                         compared ? fmt::format("{:.3f}", cell.to_best->p_holm) : ""});
  for (const std::string& name : plan.show) {
    const auto figure = figures.find(name);
    row.push_back(figure ? figure_text(name, *figure) : "");
  }
  row.insert(row.end(),
             {head_width(plan, results, place), format_count(figures.at("parameters").mean),
              format_count(figures.at("multiply_adds").mean),
              format_count(figures.at("tokens_per_second").mean),
              format_duration(figures.at("seconds").mean), remarks(results, place)});
  return row;
}

// "model.heads=2, size=narrow"; "the config" if there are no axes.
std::string cell_name(const SweepPlan& plan, std::size_t cell) {
  std::string name;
  for (std::size_t i = 0; i < plan.axes.size(); ++i) {
    name += fmt::format("{}{}={}", i == 0 ? "" : ", ", plan.axes[i], plan.cells[cell][i]);
  }
  return name.empty() ? "the config" : name;
}

std::string names_of(const SweepPlan& plan, const SweepResults& results,
                     const std::vector<std::size_t>& places) {
  const auto name = [&](std::size_t place) { return cell_name(plan, results.cells[place].cell); };
  return join(mapped(places, name), "; ");
}

// Remarks for comparisons in which cells have fewer seeds, or only one common seed.
std::string seeds_in_words(const SweepPlan& plan, const SweepResults& results) {
  std::string text;
  if (const auto fewer = cells_with_fewer_seeds(results); !fewer.empty()) {
    text += fmt::format(
        "\nthe best cell is chosen by the means over {}; cells with fewer seeds: {}",
        results.shared_seeds.empty()
            ? "each cell's own seeds, since no seed is in all cells"
            : fmt::format("the seeds that all cells have ({})", join(results.shared_seeds, ", ")),
        names_of(plan, results, fewer));
  }
  auto compared = mapped(numbers_below(results.cells.size()), std::identity());
  std::erase_if(compared,
                [&](std::size_t i) { return i == results.best || !results.cells[i].to_best; });
  std::vector<std::size_t> by_one_seed = compared;
  std::erase_if(by_one_seed, [&](std::size_t i) { return results.cells[i].to_best->pairs != 1; });
  if (!by_one_seed.empty()) {
    text += fmt::format("\none seed{}: p says nothing about other seeds",
                        by_one_seed.size() == compared.size()
                            ? ""
                            : " shared with the best by " + names_of(plan, results, by_one_seed));
  }
  return text;
}

std::string in_words(const SweepPlan& plan, const SweepResults& results) {
  const auto told = [&](std::size_t place) {
    const CellResult& cell = results.cells[place];
    return fmt::format("{} ({} {}, {} multiply-adds, {})", cell_name(plan, cell.cell),
                       kind_of(results.metric).name,
                       metric_text(kind_of(results.metric), results.metric_of(cell).mean),
                       format_count(cell.figures.at("multiply_adds").mean),
                       format_duration(cell.figures.at("seconds").mean));
  };
  std::string text = fmt::format("best: {}\n", told(results.best));
  const std::vector<std::size_t>& cheapest = results.cheapest;
  if (cheapest.size() > 1) {
    text += fmt::format(
        "cheapest not significantly worse: a tie of {} cells with equal multiply-adds and "
        "parameters: {}",
        cheapest.size(), names_of(plan, results, cheapest));
  } else if (cheapest.front() == results.best) {
    text += "it is also the cheapest that is not significantly worse than the best";
  } else {
    text += fmt::format("cheapest not significantly worse: {}", told(cheapest.front()));
  }
  const RunResult& first = results.runs.front();
  text += fmt::format(
      "\n{} of {}; p by a paired bootstrap, {} resamples of seeds and examples; significant below "
      "{}; p (Holm): corrected for the comparisons of all cells with the best",
      kind_of(results.metric).name, first.split, resample_count, significance_level);
  return text + seeds_in_words(plan, results);
}

}  // namespace

const MetricKind* metric_of_figure(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('.') + 1);
  const auto metric = std::ranges::find(metric_kinds, last, &MetricKind::name);
  return metric == metric_kinds.end() ? nullptr : *metric;
}

std::string figure_text(std::string_view name, const Spread& figure) {
  if (!std::isfinite(figure.mean)) {
    return "";
  }
  const MetricKind* metric = metric_of_figure(name);
  const auto written = [&](double value) {
    return metric != nullptr         ? metric_text(*metric, value)
           : std::abs(value) >= 1000 ? format_count(value)
                                     : fmt::format("{:.3g}", value);
  };
  return written(figure.mean) + (figure.has_deviation() ? " ± " + written(figure.deviation) : "");
}

std::string head_width(const SweepPlan& plan, const SweepResults& results, std::size_t place) {
  const auto run = std::ranges::find(results.runs, results.cells[place].cell, &RunResult::cell);
  const ModelOptions& model = plan.runs[run->run].config.model;
  std::vector<std::string> widths;
  for (const AttentionSpec& spec : attention_specs(model)) {
    const std::string width = spec.d_qk == spec.d_v ? std::to_string(spec.d_v)
                                                    : fmt::format("{}/{}", spec.d_qk, spec.d_v);
    if (spec.heads > 0 && std::ranges::count(widths, width) == 0) {
      widths.push_back(width);
    }
  }
  return join(widths, ", ");
}

std::string results_table(const SweepPlan& plan, const SweepResults& results) {
  std::vector<Align> columns(plan.axes.size(), Align::left);
  columns.insert(columns.end(), 10 + plan.show.size(), Align::right);
  columns.push_back(Align::left);
  std::vector<std::string> header = plan.axes;
  header.insert(header.end(),
                {"seeds", std::string(kind_of(results.metric).name), "to best", "p", "p (Holm)"});
  header.insert(header.end(), plan.show.begin(), plan.show.end());
  header.insert(header.end(),
                {"head width", "parameters", "multiply-adds", "tokens/s", "time", ""});
  Table table(columns, header);
  auto best_first = mapped(numbers_below(results.cells.size()), std::identity());
  std::ranges::stable_sort(best_first, {}, [&](std::size_t i) {
    const double mean = results.metric_of(results.cells[i]).mean;
    return std::tuple(i != results.best, kind_of(results.metric).lower_is_better ? mean : -mean);
  });
  for (const std::size_t place : best_first) {
    table.row(row_of(plan, results, place));
  }
  return table.text() + "\n\n" + in_words(plan, results);
}

}  // namespace tapehead
