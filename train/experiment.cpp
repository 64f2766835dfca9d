#include "train/experiment.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "core/errors.hpp"
#include "train/checkpoint.hpp"
#include "train/config/config.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/run_files.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

std::filesystem::path last_checkpoint(const RunFiles& files) {
  const auto candidates = Checkpoints(files.checkpoints(), "step", 1).candidates();
  return candidates.empty() ? std::filesystem::path() : candidates.front();
}

// What else could be used, for the message about one that cannot.
std::string other_checkpoints(const RunFiles& files, const std::filesystem::path& refused) {
  std::string names;
  for (const std::string wanted : {"average", "best", "last"}) {
    const auto file = find_checkpoint(files, wanted);
    if (file != refused && std::filesystem::exists(file)) {
      names += (names.empty() ? "; try --checkpoint " : " or ") + wanted;
    }
  }
  return names;
}

}  // namespace

std::filesystem::path find_checkpoint(const RunFiles& files, const std::string& wanted) {
  auto best = best_checkpoint(files.checkpoints());
  auto average = average_checkpoint(files.checkpoints());
  if (wanted == "best") {
    return best;
  }
  if (wanted == "average") {
    return average;
  }
  if (wanted == "last") {
    return last_checkpoint(files);
  }
  if (!wanted.empty()) {
    return wanted;
  }
  for (const auto& file : {average, best}) {
    if (std::filesystem::exists(file)) {
      return file;
    }
  }
  return last_checkpoint(files);
}

SavedRun::SavedRun(const std::filesystem::path& run, const std::string& wanted)
    : directory(run),
      config(load_config(find_run(run).config()).config),
      tokenizers(load_tokenizers(run)),
      model(config, tokenizers.source->size(), tokenizers.target->size(), FirstWeights::zeros),
      checkpoint(find_checkpoint({run}, wanted)) {
  try {
    if (checkpoint.empty() || !std::filesystem::exists(checkpoint)) {
      throw IoError(fmt::format("run {} has no {} checkpoint", run.string(),
                                wanted.empty() ? "finished" : wanted));
    }
    const TensorFile file(checkpoint);
    const Metadata identity = identity_of(config, "");
    if (file.metadata("config") != identity.at("config")) {
      throw IoError(fmt::format("{} comes from another model or seed than run {}",
                                checkpoint.string(), run.string()));
    }
    load_weights(file, model.store);
    data = file.metadata("data");
  } catch (const IoError& error) {
    throw IoError(error.what() + other_checkpoints({run}, checkpoint));
  }
}

Task SavedRun::task(const DataChoice& choice) const {
  Task task = make_task(find_run_data({directory}, config.task, choice), config.seed, directory);
  if (task.fingerprint != data) {
    const std::string what =
        fmt::format("{} was trained with other data than {}", checkpoint.string(),
                    choice.directory.empty() ? directory.string() + " has now"
                                             : choice.directory.string() + " holds");
    if (!choice.other) {
      throw IoError(what +
                    "; --data DIR names the directory that holds its own, --other-data uses these "
                    "all the same");
    }
    spdlog::warn("{}", what);
  }
  return task;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
