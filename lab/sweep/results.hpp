// The results of a sweep: figures of runs and cells, differences between cells, the cheapest good
// cells, and the cells worth their time; also as tables, CSV and JSON.
#pragma once

#include "lab/bootstrap.hpp"
#include "lab/sweep/plan.hpp"

namespace tapehead {

// The figures of a run or, as spreads, of a cell: costs, then the metrics that the task measures,
// then the further figures (RunScores::figures).
template <class Number>
struct SweepFigures {
  std::vector<std::pair<std::string, Number>> all{};

  // Nothing if there is no such figure, as for a metric that the task does not measure.
  std::optional<Number> find(std::string_view name) const {
    const auto found = std::ranges::find(all, name, &std::pair<std::string, Number>::first);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  }
  // Throws std::bad_optional_access if there is no such figure.
  Number at(std::string_view name) const { return find(name).value(); }
};

struct RunResult {
  std::size_t run;  // in the plan, as `cell`
  std::size_t cell;
  std::uint64_t seed = 0;
  std::string split;
  std::size_t examples = 0;
  Index steps = 0;
  SweepFigures<double> figures{};
};

struct CellResult {
  std::size_t cell;      // in the plan
  std::size_t runs = 0;  // finished runs, at least one
  SweepFigures<Spread> figures{};
  std::optional<Difference> to_best{};  // this cell minus the best; absent if tested on other data
  bool on_front = false;  // no cell is faster and at least as good, or better and at least as fast
};

struct CellComparison {
  std::size_t one;  // cells in the plan
  std::size_t other;
  std::optional<Difference> difference;  // one minus other
};

struct SweepResults {
  Metric metric;
  std::vector<RunResult> runs{};
  std::vector<CellResult> cells{};
  std::vector<std::string> figures{};         // of the first run; further figures of all runs
  std::vector<CellComparison> comparisons{};  // each pair of cells once
  std::vector<std::uint64_t> shared_seeds{};  // seeds for which each cell has a finished run
  std::size_t best = 0;                       // index into `cells`, by the means over shared seeds
  // Indices into `cells`: the cell with the fewest multiply-adds, then the fewest parameters, among
  // the cells not significantly worse than the best. Several cells if both are equal.
  std::vector<std::size_t> cheapest{};

  // 0 for a cell whose task does not measure the metric.
  Spread metric_of(const CellResult& cell) const {
    return cell.figures.find(kind_of(metric).name).value_or(Spread());
  }
  bool is_cheapest(std::size_t place) const { return std::ranges::count(cheapest, place) > 0; }
};

// `scores`: for each run of the plan, its scores if it is finished. At least one run is finished.
SweepResults sweep_results(const SweepPlan& plan,
                           const std::vector<std::optional<RunScores>>& scores);

// The indices into `cells` of the cells that lack a seed that another cell has.
std::vector<std::size_t> cells_with_fewer_seeds(const SweepResults& results);

// Whether a cell is better than the best cell on the seeds that both have.
bool better_than_best(const SweepResults& results, const CellResult& cell);

// A message for each name in the sweep's `show` and chapters for which no run has a figure.
std::vector<std::string> unknown_figures(const SweepFile& sweep, const SweepResults& results);

// The metric that a figure is, such as the loss for "train.loss"; null for other figures.
const MetricKind* metric_of_figure(std::string_view name);

// A mean and its deviation, as the metric of that name is written; blank if it is not finite.
std::string figure_text(std::string_view name, const Spread& figure);

// The width of the heads of `results.cells[place]`: "16"; "16/32" if queries and keys have 16
// columns and values 32; "16, 8" if attentions differ.
std::string head_width(const SweepPlan& plan, const SweepResults& results, std::size_t place);

// A table of the cells, the best first, followed by the conclusions in words.
std::string results_table(const SweepPlan& plan, const SweepResults& results);

std::string runs_csv(const SweepPlan& plan, const SweepResults& results);
std::string cells_csv(const SweepPlan& plan, const SweepResults& results);

Json results_json(const SweepPlan& plan, const SweepResults& results);

}  // namespace tapehead
