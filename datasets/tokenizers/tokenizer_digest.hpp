// A tokenizer's digest: of its entries in order, which say what the rows of embeddings mean.
#pragma once

#include <string>

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// 16 hexadecimal digits.
std::string tokenizer_digest(const Tokenizer& tokenizer);

}  // namespace tapehead
