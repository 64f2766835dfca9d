#include "lab/sweep/results.hpp"

#include "train/config/rows.hpp"

namespace tapehead {

namespace {

RunResult run_result(std::size_t number, const SweepRun& run, const RunScores& scores) {
  const double cost = scores.multiply_adds_per_token.value();
  const auto tokens = static_cast<double>(scores.tokens);
  SweepFigures<double> figures{
      .all = {{"parameters", static_cast<double>(scores.parameters)},
              {"multiply_adds_per_token", cost},  // of the training
              {"multiply_adds", cost * tokens},   // of the whole training, like the seconds
              {"seconds", scores.seconds},
              {"tokens_per_second", scores.seconds > 0 ? tokens / scores.seconds : 0}}};
  for (const MetricKind* kind : metric_kinds) {
    if (is_measured(*kind, run.config.task.kind().examples)) {
      figures.all.emplace_back(kind->name, measure(*kind, scores.examples, run.config.evaluation));
    }
  }
  figures.all.insert(figures.all.end(), scores.figures.begin(), scores.figures.end());
  return {.run = number,
          .cell = run.cell,
          .seed = run.config.seed,
          .split = scores.split,
          .examples = scores.examples.size(),
          .steps = scores.steps,
          .figures = std::move(figures)};
}

// The names of the run's figures that are not in `further`, then the names in `further`.
std::vector<std::string> figure_names(const RunResult& run, const std::set<std::string>& further) {
  auto names = mapped(run.figures.all | std::views::keys, std::identity());
  std::erase_if(names, [&](const std::string& name) { return further.contains(name); });
  names.insert(names.end(), further.begin(), further.end());
  return names;
}

CellResult cell_result(std::size_t cell, const std::vector<const RunResult*>& runs,
                       const std::set<std::string>& further) {
  CellResult result{.cell = cell, .runs = runs.size()};
  for (const std::string& name : figure_names(*runs.front(), further)) {
    std::vector<double> values;
    for (const RunResult* run : runs) {
      if (const auto value = run->figures.find(name)) {
        values.push_back(*value);
      }
    }
    if (!values.empty()) {
      result.figures.all.emplace_back(name, spread_of(values));
    }
  }
  return result;
}

double quality(const SweepResults& results, double value) {
  return kind_of(results.metric).lower_is_better ? -value : value;
}

using ValuesOfCells = std::vector<std::vector<ResampledValue>>;  // in the order of the cells

// The mean over the seeds that all cells share, or over all seeds if the cells share no seed.
template <class Runs, class Get>
double mean_to_rank_by(const SweepResults& results, Runs&& runs, const Get& get) {
  std::vector<double> values;
  for (const auto& run : runs) {
    const auto& seeds = results.shared_seeds;
    if (seeds.empty() || std::ranges::count(seeds, run.seed) > 0) {
      values.push_back(std::invoke(get, run));
    }
  }
  return spread_of(values).mean;
}

void name_best(SweepResults& results, const ValuesOfCells& values) {
  for (const ResampledValue& run : values.front()) {
    if (std::ranges::all_of(values, [&](const auto& cell) {
          return std::ranges::count(cell, run.seed, &ResampledValue::seed) > 0;
        })) {
      results.shared_seeds.push_back(run.seed);
    }
  }
  const auto best = std::ranges::max_element(values, {}, [&](const auto& runs) {
    const double value = quality(results, mean_to_rank_by(results, runs, &ResampledValue::value));
    return std::isnan(value) ? -HUGE_VAL : value;
  });
  results.best = static_cast<std::size_t>(best - values.begin());
}

void name_cheapest(SweepResults& results) {
  constexpr double rounding = 1e-9;  // tolerance for sums over many tokens
  for (std::size_t i = 0; i < results.cells.size(); ++i) {
    const std::optional<Difference>& to_best = results.cells[i].to_best;
    if (i == results.best ||
        (to_best && (quality(results, to_best->mean) >= 0 || !to_best->significant()))) {
      results.cheapest.push_back(i);
    }
  }
  for (const char* const figure : {"multiply_adds", "parameters"}) {
    const std::vector<double> costs = mapped(results.cheapest, [&](std::size_t place) {
      const auto own = [&](const RunResult& run) { return run.cell == results.cells[place].cell; };
      return mean_to_rank_by(results, results.runs | std::views::filter(own),
                             [&](const RunResult& run) { return run.figures.at(figure); });
    });
    const double least = std::ranges::min(costs);
    std::size_t next = 0;
    std::erase_if(results.cheapest,
                  [&](std::size_t) { return costs[next++] > least * (1 + rounding); });
  }
}

void mark_front(SweepResults& results) {
  const auto seconds = [](const CellResult& cell) { return cell.figures.at("seconds").mean; };
  const auto value = [&](const CellResult& cell) {
    return quality(results, results.metric_of(cell).mean);
  };
  for (CellResult& cell : results.cells) {
    cell.on_front = std::ranges::none_of(results.cells, [&](const CellResult& other) {
      const bool no_worse = seconds(other) <= seconds(cell) && value(other) >= value(cell);
      return no_worse && (seconds(other) < seconds(cell) || value(other) > value(cell));
    });
  }
}

void compare_cells(SweepResults& results, const ValuesOfCells& values) {
  std::vector<Difference*> to_best;
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto& difference = results.cells[i].to_best = compare(values[i], values[results.best]);
    if (i != results.best && difference) {
      to_best.push_back(&*difference);
    }
    for (std::size_t j = 0; j < i; ++j) {
      results.comparisons.push_back(
          {results.cells[i].cell, results.cells[j].cell, compare(values[i], values[j])});
    }
  }
  correct_together(to_best);
  const auto known = [](const CellComparison& one) { return one.difference.has_value(); };
  correct_together(mapped(results.comparisons | std::views::filter(known),
                          [](CellComparison& one) { return &*one.difference; }));
}

}  // namespace

std::vector<std::size_t> cells_with_fewer_seeds(const SweepResults& results) {
  const auto all = mapped(results.runs, &RunResult::seed);
  const std::set<std::uint64_t> seeds(all.begin(), all.end());
  const auto fewer = [&](std::size_t i) { return results.cells[i].runs < seeds.size(); };
  return mapped(numbers_below(results.cells.size()) | std::views::filter(fewer), std::identity());
}

bool better_than_best(const SweepResults& results, const CellResult& cell) {
  return cell.to_best && quality(results, cell.to_best->mean) > 0;
}

std::vector<std::string> unknown_figures(const SweepFile& sweep, const SweepResults& results) {
  const std::vector<std::string_view> known(results.figures.begin(), results.figures.end());
  std::vector<std::string> problems;
  std::vector<PlacedName> wanted = sweep.show;
  for (const SweepChapter& chapter : sweep.chapters) {
    wanted.insert(wanted.end(), chapter.figures.begin(), chapter.figures.end());
  }
  for (const auto& [name, place] : wanted) {
    if (std::ranges::count(known, name) == 0) {
      const auto near = nearest(name, known);
      problems.push_back(fmt::format(
          "{}: no run has a figure {}; {}", place, name,
          near ? fmt::format("did you mean {}?", *near) : "cells.csv lists all figures"));
    }
  }
  return problems;
}

SweepResults sweep_results(const SweepPlan& plan,
                           const std::vector<std::optional<RunScores>>& scores) {
  SweepResults results{.metric = plan.metric};
  ValuesOfCells values(plan.cells.size());
  std::set<std::string> further;  // names of RunScores::figures
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    if (scores[i]) {
      const SweepRun& run = plan.runs[i];
      results.runs.push_back(run_result(i, run, *scores[i]));
      values[run.cell].push_back(resample_value(
          run.config.seed, MetricSums(plan.metric, scores[i]->examples, run.config.evaluation)));
      values[run.cell].back().text = scores[i]->text;
      std::ranges::copy(scores[i]->figures | std::views::keys,
                        std::inserter(further, further.end()));
    }
  }
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
    const auto own = [cell](const RunResult& run) { return run.cell == cell; };
    const std::vector<const RunResult*> runs =
        mapped(results.runs | std::views::filter(own), [](const RunResult& run) { return &run; });
    if (!runs.empty()) {
      results.cells.push_back(cell_result(cell, runs, further));
    }
  }
  results.figures = figure_names(results.runs.front(), further);
  std::erase_if(values, [](const auto& of_cell) { return of_cell.empty(); });
  name_best(results, values);
  compare_cells(results, values);
  name_cheapest(results);
  mark_front(results);
  return results;
}

}  // namespace tapehead
