// The results of a sweep: the figures of runs and cells, which cells differ, which are the cheapest
// good ones, and which are worth their time; also as tables, CSV and JSON.
#pragma once

#include "core/files/json_text.hpp"
#include "lab/bootstrap.hpp"
#include "lab/run_scores.hpp"
#include "lab/sweep/plan.hpp"

namespace tapehead {

// The figures of a run or, as spreads, of a cell.
template <class Number>
struct SweepFigures {
  using Named = std::vector<std::pair<std::string, Number>>;

  Named usual{};  // what every run costs, then the metrics that its task measures
  std::map<std::string, Number> further{};  // as in RunScores::figures

  // One of the usual figures; a metric that the task does not measure is not among them.
  const Number* find(std::string_view name) const {
    const auto found = std::ranges::find(usual, name, &Named::value_type::first);
    return found == usual.end() ? nullptr : &found->second;
  }
  // The same. Throws std::out_of_range.
  const Number& at(std::string_view name) const {
    if (const Number* const figure = find(name)) {
      return *figure;
    }
    throw std::out_of_range(fmt::format("no run of the sweep has the figure {}", name));
  }

  // The usual ones first.
  Named all() const {
    Named figures = usual;
    figures.insert(figures.end(), further.begin(), further.end());
    return figures;
  }

  std::map<std::string, Number> by_name() const {
    const Named figures = all();
    return {figures.begin(), figures.end()};
  }
};

struct RunResult {
  std::size_t run;  // in the plan
  std::uint64_t seed = 0;
  std::string split;
  std::size_t examples = 0;
  Index steps = 0;
  SweepFigures<double> figures{};
};

struct CellResult {
  std::size_t cell;      // in the plan
  std::size_t runs = 0;  // finished ones; cells without any are left out
  SweepFigures<Spread> figures{};
  std::optional<Difference> to_best{};  // this cell minus the best; none for tests of other data
  bool on_front = false;                // no cell is as fast and better, or faster and as good
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
  std::vector<std::string> figures{};  // names of all figures of any run, the usual ones first
  std::vector<CellComparison> comparisons{};  // each pair of cells once
  std::vector<std::uint64_t> shared_seeds{};  // those with which a run of each cell is finished
  std::size_t best = 0;                       // index into `cells`, by the means over shared seeds
  // Indices into `cells`: the cheapest of those not significantly worse than the best, by
  // multiply-adds, then by parameters. Several if both are equal.
  std::vector<std::size_t> cheapest{};

  // 0 in a cell whose task does not measure it.
  Spread metric_of(const CellResult& cell) const {
    const Spread* const own = cell.figures.find(kind_of(metric).name);
    return own == nullptr ? Spread() : *own;
  }
  bool is_cheapest(std::size_t place) const {
    return std::ranges::find(cheapest, place) != cheapest.end();
  }
};

// `scores`: for each run of the plan that is finished; at least one is.
SweepResults sweep_results(const SweepPlan& plan,
                           const std::vector<std::optional<RunScores>>& scores);

// The indices into `cells` of those in which a seed is missing that another cell has.
std::vector<std::size_t> cells_with_fewer_seeds(const SweepResults& results);

// Whether a cell is better than the best on the seeds that these two have.
bool better_than_best(const SweepResults& results, const CellResult& cell);

// The problems with names in a sweep's `show` for which no run has a figure.
std::vector<std::string> unknown_figures(const SweepFile& sweep, const SweepResults& results);

// The width of the heads of `results.cells[place]`: "16", or "16/32" where queries and keys have 16
// columns and values 32; "16, 8" where attentions differ.
std::string head_width(const SweepPlan& plan, const SweepResults& results, std::size_t place);

// The cells, best first, and then the conclusions in words.
std::string results_table(const SweepPlan& plan, const SweepResults& results);

// A line for each run, and for each cell.
std::string runs_csv(const SweepPlan& plan, const SweepResults& results);
std::string cells_csv(const SweepPlan& plan, const SweepResults& results);

Json results_json(const SweepPlan& plan, const SweepResults& results);

}  // namespace tapehead
