#include "core/files/hash.hpp"

namespace tapehead {

// state <- mix(state + golden ratio xor word), where mix is the finisher of SplitMix64 (Steele, Lea
// and Flood 2014), a bijection that spreads every bit of its input.
Hash& Hash::add(std::uint64_t word) {
  std::uint64_t mixed = (state_ + 0x9e3779b97f4a7c15ULL) ^ word;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
  state_ = mixed ^ (mixed >> 31);
  return *this;
}

Hash& Hash::add(std::string_view text) {
  add(text.size());
  for (std::size_t start = 0; start < text.size(); start += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + start, std::min(sizeof word, text.size() - start));
    add(word);
  }
  return *this;
}

Hash& Hash::add(std::span<const TokenId> tokens) {
  add(tokens.size());
  for (const TokenId token : tokens) {
    add(static_cast<std::uint64_t>(token));
  }
  return *this;
}

std::string Hash::hexadecimal() const { return fmt::format("{:016x}", state_); }

}  // namespace tapehead
