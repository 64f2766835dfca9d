// The digest of a tokenizer: of its entries in order, which determine the meaning of the rows of
// embeddings.
#pragma once

#include <string>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// 16 hexadecimal digits.
std::string tokenizer_digest(const Tokenizer& tokenizer);

}  // namespace tapehead
