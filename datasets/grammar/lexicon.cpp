#include "datasets/grammar/lexicon.hpp"

#include <algorithm>

namespace tapehead::grammar {

namespace {

constexpr Gender m = Gender::masculine;
constexpr Gender f = Gender::feminine;
constexpr Gender n = Gender::neuter;

constexpr std::array being_list{
    Noun{"teacher", "teachers", m, "Lehrer", "Lehrer", "Lehrern"},
    Noun{"baker", "bakers", m, "Bäcker", "Bäcker", "Bäckern"},
    Noun{"king", "kings", m, "König", "Könige", "Königen"},
    Noun{"brother", "brothers", m, "Bruder", "Brüder", "Brüdern"},
    Noun{"dog", "dogs", m, "Hund", "Hunde", "Hunden"},
    Noun{"woman", "women", f, "Frau", "Frauen", "Frauen"},
    Noun{"queen", "queens", f, "Königin", "Königinnen", "Königinnen"},
    Noun{"sister", "sisters", f, "Schwester", "Schwestern", "Schwestern"},
    Noun{"cat", "cats", f, "Katze", "Katzen", "Katzen"},
    Noun{"child", "children", n, "Kind", "Kinder", "Kindern"},
    Noun{"girl", "girls", n, "Mädchen", "Mädchen", "Mädchen"},
    Noun{"horse", "horses", n, "Pferd", "Pferde", "Pferden"},
};

constexpr std::array thing_list{
    Noun{"apple", "apples", m, "Apfel", "Äpfel", "Äpfeln"},
    Noun{"ball", "balls", m, "Ball", "Bälle", "Bällen"},
    Noun{"letter", "letters", m, "Brief", "Briefe", "Briefen"},
    Noun{"flower", "flowers", f, "Blume", "Blumen", "Blumen"},
    Noun{"lamp", "lamps", f, "Lampe", "Lampen", "Lampen"},
    Noun{"cup", "cups", f, "Tasse", "Tassen", "Tassen"},
    Noun{"book", "books", n, "Buch", "Bücher", "Büchern"},
    Noun{"picture", "pictures", n, "Bild", "Bilder", "Bildern"},
    Noun{"boat", "boats", n, "Boot", "Boote", "Booten"},
};

constexpr std::array place_list{
    Noun{"garden", "gardens", m, "Garten", "Gärten", "Gärten"},
    Noun{"forest", "forests", m, "Wald", "Wälder", "Wäldern"},
    Noun{"park", "parks", m, "Park", "Parks", "Parks"},
    Noun{"city", "cities", f, "Stadt", "Städte", "Städten"},
    Noun{"kitchen", "kitchens", f, "Küche", "Küchen", "Küchen"},
    Noun{"school", "schools", f, "Schule", "Schulen", "Schulen"},
    Noun{"house", "houses", n, "Haus", "Häuser", "Häusern"},
    Noun{"village", "villages", n, "Dorf", "Dörfer", "Dörfern"},
};

constexpr std::array adjective_list{
    Adjective{"old", "alt"},    Adjective{"young", "jung"},      Adjective{"small", "klein"},
    Adjective{"big", "groß"},   Adjective{"red", "rot"},         Adjective{"blue", "blau"},
    Adjective{"new", "neu"},    Adjective{"beautiful", "schön"}, Adjective{"strange", "seltsam"},
    Adjective{"quiet", "still"}};

constexpr std::array verb_list{
    Verb{Valency::none, "sleep", "sleeps", "slept", "slept", "schlafen", "schläft", "schlief",
         "schliefen", "geschlafen"},
    Verb{Valency::none, "sing", "sings", "sang", "sung", "singen", "singt", "sang", "sangen",
         "gesungen"},
    Verb{Valency::none, "wait", "waits", "waited", "waited", "warten", "wartet", "wartete",
         "warteten", "gewartet"},
    Verb{Valency::none, "run", "runs", "ran", "run", "laufen", "läuft", "lief", "liefen",
         "gelaufen", true},
    Verb{Valency::none, "swim", "swims", "swam", "swum", "schwimmen", "schwimmt", "schwamm",
         "schwammen", "geschwommen", true},
    Verb{Valency::accusative, "see", "sees", "saw", "seen", "sehen", "sieht", "sah", "sahen",
         "gesehen"},
    Verb{Valency::accusative, "find", "finds", "found", "found", "finden", "findet", "fand",
         "fanden", "gefunden"},
    Verb{Valency::accusative, "seek", "seeks", "sought", "sought", "suchen", "sucht", "suchte",
         "suchten", "gesucht"},
    Verb{Valency::accusative, "love", "loves", "loved", "loved", "lieben", "liebt", "liebte",
         "liebten", "geliebt"},
    Verb{Valency::accusative, "paint", "paints", "painted", "painted", "malen", "malt", "malte",
         "malten", "gemalt"},
    Verb{Valency::accusative, "carry", "carries", "carried", "carried", "tragen", "trägt", "trug",
         "trugen", "getragen"},
    Verb{Valency::dative, "help", "helps", "helped", "helped", "helfen", "hilft", "half", "halfen",
         "geholfen"},
    Verb{Valency::dative, "thank", "thanks", "thanked", "thanked", "danken", "dankt", "dankte",
         "dankten", "gedankt"},
    Verb{Valency::both, "give", "gives", "gave", "given", "geben", "gibt", "gab", "gaben",
         "gegeben"},
    Verb{Valency::both, "show", "shows", "showed", "shown", "zeigen", "zeigt", "zeigte", "zeigten",
         "gezeigt"},
    Verb{Valency::both, "bring", "brings", "brought", "brought", "bringen", "bringt", "brachte",
         "brachten", "gebracht"},
};

constexpr std::array adverb_list{WordPair{"today", "heute"}, WordPair{"here", "hier"},
                                 WordPair{"often", "oft"}, WordPair{"sometimes", "manchmal"}};
constexpr std::array preposition_list{WordPair{"in", "in"}, WordPair{"behind", "hinter"},
                                      WordPair{"beside", "neben"}};
constexpr std::array conjunction_list{WordPair{"because", "weil"}, WordPair{"although", "obwohl"},
                                      WordPair{"while", "während"}};

}  // namespace

std::span<const Noun> beings() { return being_list; }
std::span<const Noun> things() { return thing_list; }
std::span<const Noun> places() { return place_list; }
std::span<const Adjective> adjectives() { return adjective_list; }
std::span<const Verb> verbs() { return verb_list; }
std::span<const WordPair> adverbs() { return adverb_list; }
std::span<const WordPair> prepositions() { return preposition_list; }
std::span<const WordPair> conjunctions() { return conjunction_list; }

}  // namespace tapehead::grammar

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
