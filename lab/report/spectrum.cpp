#include "lab/report/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lab/embedding_spectrum.hpp"
#include "train/experiment.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/run_files.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

using Json = nlohmann::ordered_json;

// More digits would only make the page larger.
double in_millionths(double share) { return std::round(share * 1e6) / 1e6; }

Json checkpoint_json(Index step, const CyclicSpectrum& spectrum) {
  Json shares = Json::array();
  for (const double share : spectrum.shares) {
    shares.push_back(in_millionths(share));
  }
  return {{"step", step},
          {"shares", std::move(shares)},
          {"frequencies", spectrum.frequencies_with(most_of_spectrum)},
          {"gini", spectrum.gini()}};
}

// The first one first.
std::vector<Index> steps_of(const Checkpoints& checkpoints, bool every) {
  std::vector<Index> steps = checkpoints.steps();
  std::ranges::reverse(steps);
  if (!every && steps.size() > 2) {
    return {steps.front(), steps.back()};
  }
  return steps;
}

}  // namespace

Json spectrum_json(const std::filesystem::path& run, const Task& task, bool every_checkpoint) {
  if (task.cyclic_tokens.empty()) {
    return {};
  }
  const Checkpoints checkpoints(RunFiles{run}.checkpoints(), "step");
  Json list = Json::array();
  for (const Index step : steps_of(checkpoints, every_checkpoint)) {
    const SavedRun saved(run, checkpoints.file(step).string());
    list.push_back(checkpoint_json(step, embedding_spectrum(saved.model, task.cyclic_tokens)));
  }
  if (list.empty()) {
    return {};
  }
  return {{"tokens", task.cyclic_tokens.size()},
          {"most", most_of_spectrum},
          {"checkpoints", std::move(list)}};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
