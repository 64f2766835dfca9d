#include "train/initial_weights.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "core/errors.hpp"
#include "train/checkpoint.hpp"
#include "train/config/config.hpp"
#include "train/experiment.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/run_files.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// Whether the option changes what weights mean: heads, say, cut the same matrices in another way.
bool matters(std::string_view difference) {
  const auto is = [&](std::string_view option) { return difference.starts_with(option); };
  for (const std::string_view kind : attention_kind_names) {
    if (is(std::string(kind) + ".")) {
      const std::string_view option = difference.substr(kind.size() + 1);
      return !option.starts_with("dropout") && !option.starts_with("head_dropout") &&
             !option.starts_with("start") && !option.starts_with("budget") &&
             !option.starts_with("gates: none, ");
    }
  }
  return is("model.") && !is("model.dropout") && !is("model.init") && !is("model.max_positions");
}

void expect_same_model(const Config& config, const RunFiles& other) {
  for (const std::string& difference : differences(load_config(other.config()), config)) {
    if (matters(difference)) {
      throw IoError(fmt::format("cannot start from the weights of {}: its model is another ({})",
                                other.directory.string(), difference));
    }
  }
}

RunFiles initial_run(const std::filesystem::path& directory) {
  try {
    return find_run(directory);
  } catch (const IoError& error) {
    throw IoError(fmt::format("model.init_from: {}", error.what()));
  }
}

std::filesystem::path weights_of(const RunFiles& run) {
  for (const std::string wanted : {"best", "average", "last"}) {
    const std::filesystem::path file = find_checkpoint(run, wanted);
    if (std::filesystem::exists(file)) {
      return file;
    }
  }
  throw IoError(fmt::format("run {} has no weights to start from", run.directory.string()));
}

}  // namespace

void load_initial_weights(const Config& config, ParameterStore& store) {
  const RunFiles other = initial_run(config.model.init_from);
  expect_same_model(config, other);
  // Gates that the other run had not are open at first, and change nothing.
  load_weights_without(TensorFile(weights_of(other)), ".gates", store);
}

void check_initial_weights(const Config& config, const Task& task) {
  if (!config.model.init_from.empty()) {
    Model model(config, task.source_tokenizer->size(), task.target_tokenizer->size());
    load_initial_weights(config, model.store);
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
