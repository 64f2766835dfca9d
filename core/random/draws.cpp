#include "core/random/draws.hpp"

#include <numbers>

namespace tapehead {

namespace {

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t key) {
  auto key0 = static_cast<std::uint32_t>(key);
  auto key1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key0,
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key1,
               static_cast<std::uint32_t>(product0)};
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return counter;
}

std::uint64_t digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return mix(hash);
}

Draws::Draws(std::uint64_t seed, std::string_view stream, Index at_step, Index rows_before)
    : key(mix(seed + 0x9e3779b97f4a7c15ULL) ^ digest(stream)),
      step(static_cast<std::uint32_t>(at_step)),
      first_row(rows_before) {}

std::uint64_t draw_bits(const Draws& draws, std::uint64_t index) {
  const auto block = philox({static_cast<std::uint32_t>(index),
                             static_cast<std::uint32_t>(index >> 32), draws.step, 0x706c6169U},
                            draws.key);
  return (std::uint64_t{block[0]} << 32) | block[1];
}

double draw_uniform(const Draws& draws, std::uint64_t index) {
  return static_cast<double>(draw_bits(draws, index) >> 11) * 0x1.0p-53;
}

double draw_normal(const Draws& draws, std::uint64_t index) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - draw_uniform(draws, 2 * index)));
  return radius * std::cos(2.0 * std::numbers::pi * draw_uniform(draws, 2 * index + 1));
}

Index draw_below(const Draws& draws, std::uint64_t index, Index bound) {
  // The high half of a 64 x 64 bit product: its deviation from uniform is below bound / 2^64.
  __extension__ using Wide = unsigned __int128;
  return static_cast<Index>((Wide{draw_bits(draws, index)} * static_cast<std::uint64_t>(bound)) >>
                            64);
}

std::vector<Index> draw_permutation(const Draws& draws, Index count) {
  std::vector<Index> order = mapped(numbers_below(count), std::identity());
  for (Index last = count - 1; last > 0; --last) {
    const Index other = draw_below(draws, static_cast<std::uint64_t>(last), last + 1);
    std::swap(order[static_cast<std::size_t>(last)], order[static_cast<std::size_t>(other)]);
  }
  return order;
}

// state <- mix(state + golden ratio xor word), where mix is the finisher of SplitMix64 (Steele, Lea
// and Flood 2014), a bijection that spreads every bit of its input.
Hash& Hash::add(std::uint64_t word) {
  state_ = mix((state_ + 0x9e3779b97f4a7c15ULL) ^ word);
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
