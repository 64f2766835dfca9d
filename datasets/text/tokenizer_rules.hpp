// The rules on tokenizers that tasks of text share.
#pragma once

#include <optional>

#include "core/errors.hpp"
#include "core/types.hpp"
#include "datasets/tokenizers/tokenizer_kind.hpp"

namespace tapehead {

// Bytes have a vocabulary of their own, which leaves `task.vocabulary` at its default; that of
// byte_bpe contains the bytes.
std::optional<Violation> vocabulary_does_not_suit(TokenizerKind kind, Index vocabulary,
                                                  Index usual);

std::optional<Violation> lower_case_without_word_piece(TokenizerKind kind, bool lower_case);

// Beside `task.tokenizer_of`.
inline Violation no_effect_beside_tokenizer_of(const char* option) {
  return {{option, "task.tokenizer_of"},
          "has no effect, since the tokenizer is that of another run"};
}

// With `task.tokenizer_of`, the options that say how a tokenizer is made keep their defaults.
template <class Options>
std::optional<Violation> makes_no_tokenizer(const Options& options) {
  const Options defaults;
  if (options.tokenizer != defaults.tokenizer) {
    return no_effect_beside_tokenizer_of("task.tokenizer");
  }
  if (options.vocabulary != defaults.vocabulary) {
    return no_effect_beside_tokenizer_of("task.vocabulary");
  }
  if (options.character_coverage != defaults.character_coverage) {
    return no_effect_beside_tokenizer_of("task.character_coverage");
  }
  if (options.lower_case != defaults.lower_case) {
    return no_effect_beside_tokenizer_of("task.lower_case");
  }
  return {};
}

}  // namespace tapehead
