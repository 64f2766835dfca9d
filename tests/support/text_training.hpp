// Trainings of small language models and classifiers that take about one second.
#pragma once

#include <fstream>

#include "tests/support/program.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead {

// Config of a tiny language model on a text.
inline std::string text_config(const std::string& text) {
  return "task:\n  name: text\n  train_text: " + text +
         "\n  tokenizer: character\n  context: 24\n"
         "model:\n  family: decoder\n  d_model: 16\n  layers: 1\n  max_positions: 24\n"
         "training:\n  batch_tokens: 256\n  steps: 40\n  checkpoint_every: 10\n"
         "evaluation:\n  every: 20\nrun:\n  report: false\n";
}

// Arguments of `tapehead train` with this config in `here`, on a copy that tests may delete.
inline Arguments text_training(const TemporaryDirectory& here, const std::string& run,
                               const Arguments& overrides = {}, const Arguments& options = {}) {
  std::ofstream(here / "a.yaml") << text_config("text");
  std::filesystem::copy_file(TAPEHEAD_FIXTURES "/text/train.en", here / "text",
                             std::filesystem::copy_options::overwrite_existing);
  Arguments arguments{"train", "a.yaml", "--run", run};
  set_options(arguments, overrides);
  return arguments + options;
}

// Config of a tiny classifier on the fixture; one word decides if a text is warm or cold.
inline std::string labelled_config() {
  std::string task = "task:\n  name: labelled_text\n";
  for (const std::string split : {"train", "validation", "test"}) {
    task += "  " + split + "_tsv: " TAPEHEAD_FIXTURES "/labelled/" + split + ".tsv\n";
  }
  return task +
         "model:\n  family: encoder\n  d_model: 16\n  layers: 1\n  dropout: 0\n"
         "training:\n  batch_tokens: 128\n  steps: 120\n  learning_rate: 1e-2\n"
         "  checkpoint_every: 60\n"
         "evaluation:\n  every: 60\nrun:\n  report: false\n";
}

// The arguments of `tapehead train` with this config in `here`.
inline Arguments labelled_training(const TemporaryDirectory& here, const std::string& run,
                                   const Arguments& overrides = {}, const Arguments& options = {}) {
  std::ofstream(here / "c.yaml") << labelled_config();
  Arguments arguments{"train", "c.yaml", "--run", run};
  set_options(arguments, overrides);
  return arguments + options;
}

}  // namespace tapehead
