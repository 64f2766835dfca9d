// Homonyms: English nouns with two meanings, each with a German noun of its own. The verb of the
// clause, their context, says which meaning it is.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "datasets/grammar/lexicon.hpp"

namespace tapehead::grammar {

struct Meaning {
  Noun noun;
  std::array<std::string_view, 2> verbs;  // bases of the verbs that go with this meaning
  bool is_place = false;                  // after verbs that take no object
};

// The two meanings of a homonym stand next to each other. Their verbs are different.
std::span<const Meaning> meanings();

bool is_homonym(const Noun& noun);

}  // namespace tapehead::grammar
