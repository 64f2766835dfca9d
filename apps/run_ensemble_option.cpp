#include "apps/run_ensemble_option.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "core/errors.hpp"

namespace tapehead {

namespace {

std::deque<SavedRun> opened(const RunChoice& choice) {
  constexpr std::array<std::string_view, 4> of_any_run{"", "best", "last", "average"};
  if (choice.runs.size() > 1 &&
      std::ranges::find(of_any_run, choice.checkpoint) == of_any_run.end()) {
    throw ConfigError(
        fmt::format("--checkpoint {}: a file is the checkpoint of one run; of several runs name "
                    "best, last or average",
                    choice.checkpoint));
  }
  std::deque<SavedRun> runs;
  for (const std::filesystem::path& run : choice.runs) {
    runs.emplace_back(run, choice.checkpoint);
  }
  return runs;
}

std::vector<const SavedRun*> pointers_to(const std::deque<SavedRun>& runs) {
  std::vector<const SavedRun*> pointers;
  for (const SavedRun& run : runs) {
    pointers.push_back(&run);
  }
  return pointers;
}

}  // namespace

void add_run_ensemble_options(CLI::App& command, RunChoice& choice) {
  command
      .add_option("run", choice.runs,
                  "Run directory; several with the same tokenizers predict together, by the mean "
                  "of their probabilities")
      ->required();
  add_checkpoint_option(command, choice.checkpoint);
}

InputFiles inputs_of_runs(const RunChoice& choice) {
  InputFiles inputs;
  for (const std::filesystem::path& run : choice.runs) {
    inputs.add(inputs_of_run(run, choice.checkpoint).paths());
  }
  return inputs;
}

ChosenRuns::ChosenRuns(const RunChoice& choice)
    : runs_(opened(choice)), ensemble_(pointers_to(runs_)) {}

}  // namespace tapehead
