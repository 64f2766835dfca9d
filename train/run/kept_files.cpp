#include "train/run/kept_files.hpp"

#include <spdlog/spdlog.h>

#include <system_error>

#include "train/run/checkpoint.hpp"
#include "train/run/checkpoints.hpp"
#include "train/step/training_position.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

namespace fs = std::filesystem;

void remove_file(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) {
    throw IoError("cannot remove {}: {}", file.string(), error.message());
  }
}

// The metadata of a file with weights. Throws IoError if it does not belong to the training.
struct Weights {
  Index step = 0;
  Index averaged = 1;
  std::optional<BestWeights> best{};
};
Weights own_weights(const GoingOn& training, const ParameterStore& store, const fs::path& path) {
  const TensorFile file(path);
  expect_identity(file, training.identity);
  expect_weights(file, store);
  Weights weights{.step = metadata_number(file, "step", 0, most_counted)};
  if (file.metadata().contains("averaged")) {
    weights.averaged = metadata_number(file, "averaged", 1, most_counted);
  }
  if (file.metadata().contains("best_value")) {
    weights.best = {.value = metadata_real(file, "best_value"),
                    .loss = metadata_real(file, "best_loss")};
  }
  if (weights.step > training.step) {
    throw IoError("{} is of step {}, but the run continues from step {}", path.string(),
                  weights.step, training.step);
  }
  return weights;
}

// Removes a file that does not belong to the training, and returns nullopt.
std::optional<Weights> keep_own(const GoingOn& training, const ParameterStore& store,
                                const fs::path& path) {
  if (!fs::exists(status_of(path))) {
    return {};
  }
  try {
    return own_weights(training, store, path);
  } catch (const IoError& error) {
    spdlog::info("{}; it is removed", error.what());
    remove_file(path);
    return {};
  }
}

}  // namespace

std::optional<BestWeights> keep_best(const GoingOn& training, const ParameterStore& store,
                                     const BestWeights& otherwise) {
  const auto own = keep_own(training, store, training.files.best());
  return own ? std::optional(own->best.value_or(otherwise)) : std::nullopt;
}

Metadata weights_metadata(const Identity& identity, Index step) {
  Metadata metadata = identity.facts;
  metadata["step"] = std::to_string(step);
  return metadata;
}

Metadata best_metadata(const Identity& identity, Index step, const BestWeights& best) {
  Metadata metadata = weights_metadata(identity, step);
  metadata["best_value"] = bits_of(best.value);
  metadata["best_loss"] = bits_of(best.loss);
  return metadata;
}

void remove_best(const RunFiles& files) { remove_file(files.best()); }

void keep_average(const GoingOn& training, const ParameterStore& store) {
  const fs::path average = training.files.average();
  const Checkpoints weights(training.files.checkpoints(), "weights");
  if (training.average_last == 0) {
    std::ranges::for_each(weights.candidates(), remove_file);
    remove_file(average);
    return;
  }
  std::vector<fs::path> last;
  Index newest = 0;
  for (const Index step : weights.steps()) {
    const auto own = keep_own(training, store, weights.file(step));
    if (own && std::ssize(last) < training.average_last) {
      newest = std::max(newest, own->step);
      last.push_back(weights.file(step));
    }
  }
  const auto there = keep_own(training, store, average);
  const bool current = there && there->step == newest && there->averaged == std::ssize(last);
  if (!last.empty() && !current) {
    write_weight_average(last, store, weights_metadata(training.identity, newest), average);
  }
}

void remove_reports(const RunFiles& files) {
  for (const fs::path& file : {files.report(), files.scores(), files.replay()}) {
    remove_file(file);
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
