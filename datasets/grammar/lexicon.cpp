#include "datasets/grammar/lexicon.hpp"

namespace tapehead::grammar {

namespace {

constexpr Gender m = Gender::masculine;
constexpr Gender f = Gender::feminine;
constexpr Gender n = Gender::neuter;
constexpr Valency alone = Valency::none;
constexpr Valency object = Valency::accusative;
constexpr Valency recipient = Valency::dative;
constexpr Valency both = Valency::both;

constexpr auto being_list =
    std::to_array<Noun>({{"teacher", "teachers", m, "Lehrer", "Lehrer", "Lehrern"},
                         {"baker", "bakers", m, "Bäcker", "Bäcker", "Bäckern"},
                         {"king", "kings", m, "König", "Könige", "Königen"},
                         {"brother", "brothers", m, "Bruder", "Brüder", "Brüdern"},
                         {"dog", "dogs", m, "Hund", "Hunde", "Hunden"},
                         {"woman", "women", f, "Frau", "Frauen", "Frauen"},
                         {"queen", "queens", f, "Königin", "Königinnen", "Königinnen"},
                         {"sister", "sisters", f, "Schwester", "Schwestern", "Schwestern"},
                         {"cat", "cats", f, "Katze", "Katzen", "Katzen"},
                         {"child", "children", n, "Kind", "Kinder", "Kindern"},
                         {"girl", "girls", n, "Mädchen", "Mädchen", "Mädchen"},
                         {"horse", "horses", n, "Pferd", "Pferde", "Pferden"}});

constexpr auto thing_list =
    std::to_array<Noun>({{"apple", "apples", m, "Apfel", "Äpfel", "Äpfeln"},
                         {"ball", "balls", m, "Ball", "Bälle", "Bällen"},
                         {"letter", "letters", m, "Brief", "Briefe", "Briefen"},
                         {"flower", "flowers", f, "Blume", "Blumen", "Blumen"},
                         {"lamp", "lamps", f, "Lampe", "Lampen", "Lampen"},
                         {"cup", "cups", f, "Tasse", "Tassen", "Tassen"},
                         {"book", "books", n, "Buch", "Bücher", "Büchern"},
                         {"picture", "pictures", n, "Bild", "Bilder", "Bildern"},
                         {"boat", "boats", n, "Boot", "Boote", "Booten"}});

constexpr auto place_list =
    std::to_array<Noun>({{"garden", "gardens", m, "Garten", "Gärten", "Gärten"},
                         {"forest", "forests", m, "Wald", "Wälder", "Wäldern"},
                         {"park", "parks", m, "Park", "Parks", "Parks"},
                         {"city", "cities", f, "Stadt", "Städte", "Städten"},
                         {"kitchen", "kitchens", f, "Küche", "Küchen", "Küchen"},
                         {"school", "schools", f, "Schule", "Schulen", "Schulen"},
                         {"house", "houses", n, "Haus", "Häuser", "Häusern"},
                         {"village", "villages", n, "Dorf", "Dörfer", "Dörfern"}});

constexpr std::array adjective_list{
    Adjective{"old", "alt"},    Adjective{"young", "jung"},      Adjective{"small", "klein"},
    Adjective{"big", "groß"},   Adjective{"red", "rot"},         Adjective{"blue", "blau"},
    Adjective{"new", "neu"},    Adjective{"beautiful", "schön"}, Adjective{"strange", "seltsam"},
    Adjective{"quiet", "still"}};

constexpr auto verb_list = std::to_array<Verb>(
    {{alone, "sleep", "sleeps", "slept", "slept", "schlafen", "schläft", "schlief", "schliefen",
      "geschlafen"},
     {alone, "sing", "sings", "sang", "sung", "singen", "singt", "sang", "sangen", "gesungen"},
     {alone, "wait", "waits", "waited", "waited", "warten", "wartet", "wartete", "warteten",
      "gewartet"},
     {alone, "run", "runs", "ran", "run", "laufen", "läuft", "lief", "liefen", "gelaufen", true},
     {alone, "swim", "swims", "swam", "swum", "schwimmen", "schwimmt", "schwamm", "schwammen",
      "geschwommen", true},
     {object, "see", "sees", "saw", "seen", "sehen", "sieht", "sah", "sahen", "gesehen"},
     {object, "find", "finds", "found", "found", "finden", "findet", "fand", "fanden", "gefunden"},
     {object, "seek", "seeks", "sought", "sought", "suchen", "sucht", "suchte", "suchten",
      "gesucht"},
     {object, "love", "loves", "loved", "loved", "lieben", "liebt", "liebte", "liebten", "geliebt"},
     {object, "paint", "paints", "painted", "painted", "malen", "malt", "malte", "malten",
      "gemalt"},
     {object, "carry", "carries", "carried", "carried", "tragen", "trägt", "trug", "trugen",
      "getragen"},
     {recipient, "help", "helps", "helped", "helped", "helfen", "hilft", "half", "halfen",
      "geholfen"},
     {recipient, "thank", "thanks", "thanked", "thanked", "danken", "dankt", "dankte", "dankten",
      "gedankt"},
     {both, "give", "gives", "gave", "given", "geben", "gibt", "gab", "gaben", "gegeben"},
     {both, "show", "shows", "showed", "shown", "zeigen", "zeigt", "zeigte", "zeigten", "gezeigt"},
     {both, "bring", "brings", "brought", "brought", "bringen", "bringt", "brachte", "brachten",
      "gebracht"}});

constexpr auto adverb_list = std::to_array<WordPair>(
    {{"today", "heute"}, {"here", "hier"}, {"often", "oft"}, {"sometimes", "manchmal"}});
constexpr auto preposition_list =
    std::to_array<WordPair>({{"in", "in"}, {"behind", "hinter"}, {"beside", "neben"}});
constexpr auto conjunction_list =
    std::to_array<WordPair>({{"because", "weil"}, {"although", "obwohl"}, {"while", "während"}});

constexpr auto meaning_list = std::to_array<Meaning>(
    {{{"bank", "banks", n, "Ufer", "Ufer", "Ufern"}, {"swim", "run"}, true},
     {{"bank", "banks", f, "Bank", "Banken", "Banken"}, {"wait", "sing"}, true},
     {{"bat", "bats", f, "Fledermaus", "Fledermäuse", "Fledermäusen"}, {"see", "seek"}},
     {{"bat", "bats", m, "Schläger", "Schläger", "Schlägern"}, {"carry", "bring"}},
     {{"seal", "seals", f, "Robbe", "Robben", "Robben"}, {"love", "see"}},
     {{"seal", "seals", n, "Siegel", "Siegel", "Siegeln"}, {"paint", "show"}},
     {{"match", "matches", n, "Spiel", "Spiele", "Spielen"}, {"love", "show"}},
     {{"match", "matches", n, "Streichholz", "Streichhölzer", "Streichhölzern"}, {"find", "give"}},
     {{"crane", "cranes", m, "Kranich", "Kraniche", "Kranichen"}, {"seek", "paint"}},
     {{"crane", "cranes", m, "Kran", "Kräne", "Kränen"}, {"find", "bring"}}});

constexpr MatWords mat_list{
    {alone, "sit", "sits", "sat", "sat", "sitzen", "sitzt", "saß", "saßen", "gesessen"},
    {"on", "auf"},
    {"mat", "mats", f, "Matte", "Matten", "Matten"}};

struct WordSet {
  std::set<std::string> words;

  void add(std::initializer_list<std::string_view> forms) {
    words.insert(forms.begin(), forms.end());
  }
  void add_inflected(std::string_view stem, std::initializer_list<std::string_view> endings) {
    for (const std::string_view ending : endings) {
      words.insert(std::string(stem).append(ending));
    }
  }
  // `dative`: the noun can be a recipient or a place; things are only objects.
  void add_noun(const Noun& noun, bool dative) {
    add({noun.singular, noun.plural, noun.german_singular, noun.german_plural,
         dative ? noun.german_dative_plural : noun.german_plural});
  }
  void add_verb(const Verb& verb) {
    add({verb.base, verb.third, verb.past, verb.participle, verb.german_infinitive,
         verb.german_third, verb.german_past, verb.german_past_plural, verb.german_participle});
  }
};

}  // namespace

std::span<const Noun> beings() { return being_list; }
std::span<const Noun> things() { return thing_list; }
std::span<const Noun> places() { return place_list; }
std::span<const Adjective> adjectives() { return adjective_list; }
std::span<const Verb> verbs() { return verb_list; }
std::span<const WordPair> adverbs() { return adverb_list; }
std::span<const WordPair> prepositions() { return preposition_list; }
std::span<const WordPair> conjunctions() { return conjunction_list; }
std::span<const Meaning> meanings() { return meaning_list; }

bool is_homonym(const Noun& noun) {
  return std::ranges::any_of(meaning_list,
                             [&](const Meaning& meaning) { return &meaning.noun == &noun; });
}

const MatWords& mat_words() { return mat_list; }

std::vector<std::string> all_words(bool homonyms, bool mat) {
  WordSet all{{",", "the", "this", "these", "a", "an", "my", "has", "have", "will", "hat", "haben",
               "ist", "sind", "wird", "werden"}};
  all.add_inflected("d", {"er", "ie", "as", "en", "em"});
  all.add_inflected("dies", {"er", "e", "es", "en", "em"});
  all.add_inflected("ein", {"", "e", "en", "em", "er"});
  all.add_inflected("mein", {"", "e", "en", "em", "er"});
  for (const auto nouns : {beings(), things(), places()}) {
    for (const Noun& noun : nouns) {
      all.add_noun(noun, nouns.data() != things().data());
    }
  }
  for (const Adjective& adjective : adjectives()) {
    all.add({adjective.english});
    all.add_inflected(adjective.german_stem, {"e", "en", "er", "es"});
  }
  for (const Verb& verb : verbs()) {
    all.add_verb(verb);
  }
  for (const auto pairs : {adverbs(), prepositions(), conjunctions()}) {
    for (const WordPair& pair : pairs) {
      all.add({pair.english, pair.german});
    }
  }
  for (const Meaning& meaning : homonyms ? meanings() : std::span<const Meaning>()) {
    all.add_noun(meaning.noun, meaning.is_place);  // a homonym can be a place
  }
  if (mat) {
    all.add_verb(mat_list.sit);
    all.add({mat_list.on.english, mat_list.on.german});
    all.add_noun(mat_list.mat, true);
  }
  return {all.words.begin(), all.words.end()};
}

}  // namespace tapehead::grammar
