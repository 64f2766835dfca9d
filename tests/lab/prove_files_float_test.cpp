// The texts of a run and of a sweep, damaged at random: whatever reads them works, or says what is
// wrong and where.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "core/errors.hpp"
#include "datasets/make_task.hpp"
#include "lab/report/page.hpp"
#include "lab/report/run.hpp"
#include "lab/report/sweep.hpp"
#include "lab/sweep/record.hpp"
#include "lab/sweep/score_run.hpp"
#include "tests/support/mutations.hpp"
#include "tests/support/proof.hpp"
#include "tests/support/tiny_run.hpp"
#include "train/config/config.hpp"
#include "train/loop/training_run.hpp"
#include "train/run/directory.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

namespace fs = std::filesystem;

// A sweep of one run that is finished, and one that has not begun.
void make_sweep(const TemporaryDirectory& here) {
  fs::create_directories(here / "s");
  make_tiny_run(here, "s/r");
  Workers workers(1);
  write_scores(here / "s/r", score_run(here / "s/r", "test", {}, workers));
  const SweepPlan plan{.config = "copy.yaml",
                       .axes = {"model.heads"},
                       .cells = {{.labels = {"2"}}, {.labels = {"4"}}},
                       .runs = {{.cell = 0, .name = "r", .overrides = {}, .config = {}},
                                {.cell = 1, .name = "later", .overrides = {}, .config = {}}},
                       .metric = Metric::loss,
                       .split = "test",
                       .show = {"parameters"}};
  write_sweep_plan(here / "s", plan);
}

void report(const fs::path& run) {
  report_page(report_run({.run = run, .effort = {.watched = 1}}));
}

void score(const fs::path& run) {
  Workers workers(1);
  write_scores(run, score_run(run, "test", {}, workers));
}

void resume(const fs::path& run) {
  const RunDirectory directory = RunDirectory::open(run);
  const Config config = load_config(run / "config.yaml").config;
  const Task task = make_task(config.task, config.seed, run);
  TrainingRun training(config, task, directory.files(), prepare_blas(),
                       {.resume = true, .threads = 1});
}

void use(const fs::path& sweep, Choices& choices) {
  switch (choices.below(4)) {
    case 0:
      return report(sweep / "r");
    case 1:
      return score(sweep / "r");
    case 2:
      return resume(sweep / "r");
    default:
      report_page(report_sweep(sweep, sweep / "report.html"));
  }
}

// A damaged config may still be one, of other data or longer work: such cases show nothing here.
bool is_another_config(const fs::path& file, const std::string& before) {
  try {
    const Config now = load_config(file).config;
    const Config then = parse_config(before, "before.yaml").config;
    return dump_config(now) != dump_config(then);
  } catch (const ConfigError&) {
    return false;
  }
}

std::string fault_of_run(const TemporaryDirectory& here, std::uint64_t number) {
  const fs::path sweep = here / "copy";
  fs::remove_all(sweep);
  fs::copy(here / "s", sweep, fs::copy_options::recursive);
  Choices choices(number);
  const std::vector<std::string> files{"sweep.json",     "r/scores.jsonl",
                                       "r/config.yaml",  "r/record.json",
                                       "r/times.jsonl",  "r/checkpoints/elapsed.json",
                                       "r/metrics.jsonl"};
  const fs::path file = sweep / choices.of(files);
  const std::string before = read_file(file);
  write_bytes(file, choices.below(2) == 0 ? damaged_text(before, choices)
                                          : with_other_number(before, choices));
  if (file.filename() == "config.yaml" && is_another_config(file, before)) {
    return "";
  }
  try {
    use(sweep, choices);
    return "";
  } catch (const std::exception& error) {
    const std::string message = error.what();
    const bool ours = dynamic_cast<const IoError*>(&error) != nullptr ||
                      dynamic_cast<const ConfigError*>(&error) != nullptr;
    const bool named = message.find(file.filename().string()) != std::string::npos;
    return ours && named ? "" : fmt::format("{}: {}", file.filename().string(), message);
  }
}

TEST(ProveFiles, damaged_texts_of_a_run_are_read_or_refused_by_name) {
  const TemporaryDirectory here;
  make_sweep(here);
  const auto cases = static_cast<std::uint64_t>(proof_cases(50, 4000));
  expect_no_faults(here, cases, [&](std::uint64_t number) {
    spdlog::set_level(spdlog::level::off);  // what is wrong and does no harm is told in warnings
    return fault_of_run(here, number);
  });
  tell_figures(fmt::format("files: {} damaged texts of runs were read or refused by name", cases));
}

}  // namespace

}  // namespace tapehead::inline TAPEHEAD_PRECISION
