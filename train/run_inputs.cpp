#include "train/run_inputs.hpp"

#include <initializer_list>
#include <string>

#include "train/config/config.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead {

namespace {

void add_text(InputFiles& inputs, const ParallelTextOptions& text) {
  for (const std::string& file :
       {text.train_source, text.train_target, text.train_tsv, text.validation_source,
        text.validation_target, text.validation_tsv, text.test_source, text.test_target,
        text.test_tsv}) {
    if (!file.empty()) {
      inputs.add(std::filesystem::path(file));
    }
  }
}

}  // namespace

InputFiles inputs_of_run(const std::filesystem::path& directory) {
  InputFiles inputs;
  const RunFiles run = find_run(directory);
  inputs.add(files_of_run(directory));
  add_text(inputs, load_config(run.config()).config.task.text);
  return inputs;
}

InputFiles inputs_of_training(const Config& config) {
  InputFiles inputs;
  add_text(inputs, config.task.text);
  if (!config.model.init_from.empty()) {
    inputs.add(files_of_run(config.model.init_from));
  }
  return inputs;
}

}  // namespace tapehead
