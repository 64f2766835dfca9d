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

// Trains on train.en and train.de of `directory`; validation and test are named alike.
inline std::string corpus_config(const std::string& directory, const std::string& tokenizer,
                                 int steps = 40) {
  std::string task = fmt::format("task: {{name: parallel_text, tokenizer: {}", tokenizer);
  for (const std::string split : {"train", "validation", "test"}) {
    task += fmt::format(", {1}_source: {0}/{1}.en, {1}_target: {0}/{1}.de", directory, split);
  }
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
