// The small corpus of the fixtures: English captions and their German translations.
#pragma once

#include "datasets/task.hpp"
#include "datasets/text/parallel_options.hpp"

namespace tapehead {

inline const std::filesystem::path corpus = std::filesystem::path(TAPEHEAD_FIXTURES) / "text";

// The vocabulary option for about `entries` entries. byte_bpe adds the 256 bytes; byte ignores the
// option, so its default is returned.
inline Index small_vocabulary(TokenizerKind kind, Index entries) {
  return kind == TokenizerKind::byte       ? ParallelTextOptions().vocabulary
         : kind == TokenizerKind::byte_bpe ? entries + 256
                                           : entries;
}

// parallel_text with the corpus's three splits.
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
  text.vocabulary = small_vocabulary(kind, 110);
  return options;
}

}  // namespace tapehead
