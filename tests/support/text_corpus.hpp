// The small corpus of the fixtures: English captions and their German translations.
#pragma once

#include <filesystem>

#include "datasets/task_options.hpp"
#include "datasets/text/options.hpp"

namespace tapehead {

inline const std::filesystem::path corpus = std::filesystem::path(TAPEHEAD_FIXTURES) / "text";

// parallel_text over all three of its splits.
inline TaskOptions corpus_options(TokenizerKind kind = TokenizerKind::bpe) {
  TaskOptions options("parallel_text");
  auto& text = options.as<ParallelTextOptions>();
  text.train_source = corpus / "train.en";
  text.train_target = corpus / "train.de";
  text.validation_source = corpus / "validation.en";
  text.validation_target = corpus / "validation.de";
  text.test_source = corpus / "test.en";
  text.test_target = corpus / "test.de";
  text.tokenizer = kind;
  text.vocabulary = 110;
  return options;
}

}  // namespace tapehead
