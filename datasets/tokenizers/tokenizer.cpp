#include "datasets/tokenizers/tokenizer.hpp"

#include <fmt/format.h>

#include "core/random/draws.hpp"

namespace tapehead {

std::string tokenizer_digest(const Tokenizer& tokenizer) {
  std::string entries;
  for (Index id = 0; id < tokenizer.size(); ++id) {
    const std::string entry = tokenizer.entry(static_cast<TokenId>(id));
    entries += fmt::format("{} {}\n", entry.size(), entry);  // the length: an entry may hold lines
  }
  return fmt::format("{:016x}", digest(entries));
}

}  // namespace tapehead
