// Trainings on a small corpus that the test writes; the target equals the source.
#pragma once

#include <fstream>

#include "tests/support/tiny_training.hpp"

namespace tapehead {

// 60 lines, 12 each of 1, 2, 3, 4 and 5 words.
inline std::string corpus_lines() {
  const std::string words[] = {"ab", "cd", "ef", "gh", "ij"};
  std::string text;
  for (std::size_t line = 0; line < 60; ++line) {
    for (std::size_t word = 0; word <= line % 5; ++word) {
      text += (word == 0 ? "" : " ") + words[(line / 5 + word * (line % 3 + 1)) % 5];
    }
    text += '\n';
  }
  return text;
}

inline void write_text(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

// Writes these lines as all three splits.
inline void write_corpus(const std::filesystem::path& directory,
                         const std::string& sources = corpus_lines(),
                         const std::string& targets = corpus_lines()) {
  for (const std::string split : {"train", "validation", "test"}) {
    write_text(directory / (split + ".en"), sources);
    write_text(directory / (split + ".de"), targets);
  }
}

// Options of parallel_text for the files train.en, train.de, validation.en and so on.
inline std::string pair_files(const std::string& directory = TAPEHEAD_FIXTURES "/text") {
  std::string options;
  for (const std::string split : {"train", "validation", "test"}) {
    options += fmt::format(", {1}_source: {0}/{1}.en, {1}_target: {0}/{1}.de", directory, split);
  }
  return options;
}

// Trains on train.en and train.de of `directory`; validation and test are named alike.
inline std::string corpus_config(const std::string& directory, const std::string& tokenizer,
                                 int steps = 40) {
  const std::string task =
      fmt::format("task: {{name: parallel_text, tokenizer: {}{}", tokenizer, pair_files(directory));
  return task + fmt::format(
                    "}}\n"
                    "model: {{d_model: 16, layers: 1, dropout: 0}}\n"
                    "training: {{batch_tokens: 256, steps: {0}, learning_rate: 1e-2, "
                    "checkpoint_every: {0}}}\n"
                    "evaluation: {{every: {0}, max_extra_length: 5}}\n"
                    "run: {{report: false}}\n",
                    steps);
}

}  // namespace tapehead
