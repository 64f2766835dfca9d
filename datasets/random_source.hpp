// The random draws of one example, one after another, from a range of the stream of its own.
#pragma once

#include "core/random/draws.hpp"

namespace tapehead {

class RandomSource {
 public:
  // Example number `number` uses the draws from number · 2^bits on, at most 2^bits of them.
  RandomSource(const Draws& draws, Index number, int bits)
      : draws_(draws), next_(static_cast<std::uint64_t>(number) << bits) {}

  Index below(Index bound) { return draw_below(draws_, next_++, bound); }
  Index between(Index minimum, Index maximum) { return minimum + below(maximum - minimum + 1); }
  bool one_in(Index count) { return below(count) == 0; }
  template <std::ranges::borrowed_range List>  // the item must outlive the call
  const auto& one_of(List&& list) {
    return list[static_cast<std::size_t>(below(std::ssize(list)))];
  }
  // `count` different numbers below `bound`, in random order (Fisher and Yates).
  std::vector<Index> different(Index count, Index bound) {
    std::vector<Index> numbers(static_cast<std::size_t>(bound));
    std::iota(numbers.begin(), numbers.end(), Index{0});
    for (Index i = 0; i < count; ++i) {
      std::swap(numbers[static_cast<std::size_t>(i)],
                numbers[static_cast<std::size_t>(between(i, bound - 1))]);
    }
    numbers.resize(static_cast<std::size_t>(count));
    return numbers;
  }
  bool with_probability(double probability) { return draw_uniform(draws_, next_++) < probability; }

 private:
  const Draws& draws_;
  std::uint64_t next_;
};

}  // namespace tapehead
