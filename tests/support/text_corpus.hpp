// The small corpus of the fixtures: English captions and their German translations.
#pragma once

#include <filesystem>

#include "datasets/task_options.hpp"

namespace tapehead {

inline const std::filesystem::path corpus = std::filesystem::path(TAPEHEAD_FIXTURES) / "text";

// parallel_text over all three of its splits.
inline TaskOptions corpus_options(TokenizerKind kind = TokenizerKind::bpe) {
  TaskOptions options;
  options.name = TaskName::parallel_text;
  options.text.train_source = corpus / "train.en";
  options.text.train_target = corpus / "train.de";
  options.text.validation_source = corpus / "validation.en";
  options.text.validation_target = corpus / "validation.de";
  options.text.test_source = corpus / "test.en";
  options.text.test_target = corpus / "test.de";
  options.text.tokenizer = kind;
  options.text.vocabulary = 110;
  return options;
}

}  // namespace tapehead
