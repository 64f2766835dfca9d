#include "datasets/grammar/combinations.hpp"

#include <algorithm>

#include "core/random/draws.hpp"

namespace tapehead::grammar {

namespace {

std::size_t number_in(std::span<const Noun> nouns, const Noun& noun) {
  return static_cast<std::size_t>(&noun - nouns.data());
}

}  // namespace

bool is_thing(const Noun& noun) {
  return std::ranges::any_of(things(), [&](const Noun& thing) { return &thing == &noun; });
}

Combinations::Combinations(std::uint64_t seed)
    : holders_(draw_permutation(Draws(seed, "task/holders", 0), std::ssize(beings()))),
      places_(draw_permutation(Draws(seed, "task/places", 0), std::ssize(places()))) {}

bool Combinations::held_out(const Fact& fact) const {
  if (is_thing(*fact.about)) {
    const Index holder = holders_[number_in(things(), *fact.about) % holders_.size()];
    return fact.value == &beings()[static_cast<std::size_t>(holder)];
  }
  const Index place = places_[number_in(beings(), *fact.about) % places_.size()];
  return fact.value == &places()[static_cast<std::size_t>(place)];
}

}  // namespace tapehead::grammar
