#include "datasets/text/tokenizer_rules.hpp"

#include <fmt/format.h>

#include "datasets/tokenizers/byte_bpe.hpp"

namespace tapehead {

std::optional<Violation> vocabulary_does_not_suit(TokenizerKind kind, Index vocabulary,
                                                  Index usual) {
  if (kind == TokenizerKind::byte && vocabulary != usual) {
    return Violation{{"task.vocabulary", "task.tokenizer"},
                     "this tokenizer does not use it: there are 256 bytes"};
  }
  if (kind == TokenizerKind::byte_bpe && vocabulary < smallest_byte_bpe) {
    return Violation{{"task.vocabulary", "task.tokenizer"},
                     fmt::format("the three marks and the 256 bytes of byte_bpe need {} entries",
                                 smallest_byte_bpe)};
  }
  return {};
}

std::optional<Violation> lower_case_without_word_piece(TokenizerKind kind, bool lower_case) {
  if (!lower_case || kind == TokenizerKind::word_piece) {
    return {};
  }
  return Violation{{"task.lower_case", "task.tokenizer"},
                   "this tokenizer does not use it (only word_piece)"};
}

}  // namespace tapehead
