// Combinations: which things and holders, and which beings and places, no training story has
// together.
#pragma once

#include <cstdint>
#include <vector>

#include "core/types.hpp"
#include "datasets/grammar/lexicon.hpp"

namespace tapehead::grammar {

// What a sentence of a story establishes: a thing and the being that has it, or a being and the
// place where it is.
struct Fact {
  const Noun* about = nullptr;
  const Noun* value = nullptr;

  bool operator==(const Fact&) const = default;
};

bool is_thing(const Noun& noun);

// Each thing has one holder that is held out, and each being one place.
class Combinations {
 public:
  explicit Combinations(std::uint64_t seed);

  bool held_out(const Fact& fact) const;

 private:
  std::vector<Index> holders_;  // of each thing
  std::vector<Index> places_;   // of each being; several beings share one
};

}  // namespace tapehead::grammar
