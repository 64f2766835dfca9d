#include "train/loop/run_inputs.hpp"

#include "datasets/make_task.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/text/documents.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

void add_data(InputFiles& inputs, const TaskOptions& task, const fs::path& path) {
  if (task.kind().kept_as_tokens) {
    inputs.add(matching_files(path.string()));
  } else {
    inputs.add(path);
  }
}

}  // namespace

InputFiles inputs_of_run(const fs::path& directory, const DataChoice& data) {
  InputFiles inputs;
  const RunFiles run = find_run(directory);
  inputs.add(files_of_run(directory));
  try {
    const TaskOptions task = load_config(run.config()).config.task;
    for (const fs::path& path : data_candidates(run, task, data.directory)) {
      add_data(inputs, task, path);
    }
  } catch (const IoError&) {
    return inputs;  // a file that does not exist cannot be overwritten
  }
  return inputs;
}

InputFiles inputs_of_training(const Config& config) {
  InputFiles inputs;
  TaskOptions task = config.task;
  for (const DataFile& file : data_files(task)) {
    add_data(inputs, task, *file.path);
  }
  if (!config.model.init_from.empty()) {
    inputs.add(files_of_run(config.model.init_from));
  }
  return inputs;
}

InputFiles inputs_of_config(const LoadedConfig& loaded) {
  InputFiles inputs = inputs_of_training(loaded.config);
  inputs.add(loaded.files);
  return inputs;
}

}  // namespace tapehead
