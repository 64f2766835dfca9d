// The rule on tokenizers that tasks of text share: how many entries a vocabulary may have.
#pragma once

#include <optional>

#include "core/violation.hpp"
#include "datasets/tokenizers/tokenizer_kind.hpp"

#include "core/types.hpp"

namespace tapehead {

// Bytes have a vocabulary of their own, which leaves `task.vocabulary` at its default; that of
// byte_bpe contains the bytes.
std::optional<Violation> vocabulary_does_not_suit(TokenizerKind kind, Index vocabulary,
                                                  Index usual);

}  // namespace tapehead
