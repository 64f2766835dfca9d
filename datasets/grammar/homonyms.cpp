#include "datasets/grammar/homonyms.hpp"

#include <algorithm>

namespace tapehead::grammar {

namespace {

constexpr std::array meaning_list{
    Meaning{{"bank", "banks", Gender::neuter, "Ufer", "Ufer", "Ufern"}, {"swim", "run"}, true},
    Meaning{
        {"bank", "banks", Gender::feminine, "Bank", "Banken", "Banken"}, {"wait", "sing"}, true},
    Meaning{{"bat", "bats", Gender::feminine, "Fledermaus", "Fledermäuse", "Fledermäusen"},
            {"see", "seek"}},
    Meaning{{"bat", "bats", Gender::masculine, "Schläger", "Schläger", "Schlägern"},
            {"carry", "bring"}},
    Meaning{{"seal", "seals", Gender::feminine, "Robbe", "Robben", "Robben"}, {"love", "see"}},
    Meaning{{"seal", "seals", Gender::neuter, "Siegel", "Siegel", "Siegeln"}, {"paint", "show"}},
    Meaning{{"match", "matches", Gender::neuter, "Spiel", "Spiele", "Spielen"}, {"love", "show"}},
    Meaning{{"match", "matches", Gender::neuter, "Streichholz", "Streichhölzer", "Streichhölzern"},
            {"find", "give"}},
    Meaning{{"crane", "cranes", Gender::masculine, "Kranich", "Kraniche", "Kranichen"},
            {"seek", "paint"}},
    Meaning{{"crane", "cranes", Gender::masculine, "Kran", "Kräne", "Kränen"}, {"find", "bring"}},
};

}  // namespace

std::span<const Meaning> meanings() { return meaning_list; }

bool is_homonym(const Noun& noun) {
  return std::ranges::any_of(meaning_list,
                             [&](const Meaning& meaning) { return &meaning.noun == &noun; });
}

}  // namespace tapehead::grammar
