// Stories: sentences in which beings give each other things and go to places.
#pragma once

#include "datasets/grammar/lexicon.hpp"
#include "datasets/grammar/sentence.hpp"
#include "datasets/random_source.hpp"

namespace tapehead::grammar {

// What a sentence of a story says: a thing and the being that has it, or a being and its place.
struct Fact {
  const Noun* about = nullptr;
  const Noun* value = nullptr;

  bool operator==(const Fact&) const = default;
};

bool is_thing(const Noun& noun);

// Which things and holders, and which beings and places, no training story has together: each thing
// has one holder that is held out, and each being one place.
class Combinations {
 public:
  explicit Combinations(std::uint64_t seed);

  bool held_out(const Fact& fact) const;

 private:
  std::vector<Index> holders_;  // of each thing
  std::vector<Index> places_;   // of each being; several beings share one
};

struct StorySentence {
  Clause clause;
  Fact fact;  // what is true after the sentence
};

// A story that is being told. Only the holder of a thing gives it away, and nobody goes where they
// are. Things and beings are of a small cast, so each occurs several times.
class Story {
 public:
  // `held_out`: whether sentences may have combinations that are held out.
  Story(RandomSource& random, const Combinations& combinations, bool held_out);

  std::span<const Noun* const> things() const { return things_; }
  std::span<const Noun* const> beings() const { return beings_; }

  // Somebody gives the thing to some being of the cast, or the being goes to any place.
  void tell(const Noun& about) { is_thing(about) ? give(about) : go(about); }

  const std::vector<StorySentence>& sentences() const { return sentences_; }
  // What is true at the end about those of the things or beings that have a fact.
  std::vector<Fact> facts_about(std::span<const Noun* const> cast) const;

 private:
  void give(const Noun& thing);
  void go(const Noun& being);
  const Noun* value_of(const Noun& about) const;  // null before the first fact about it
  // One of `values` for a new fact, different from `other`.
  const Noun* draw_value(const Noun& about, std::span<const Noun* const> values, const Noun* other);

  RandomSource& random_;
  const Combinations& combinations_;
  bool held_out_;
  std::vector<const Noun*> things_;
  std::vector<const Noun*> beings_;
  std::vector<StorySentence> sentences_;
};

// A clause in the past: "the king gave the queen the book".
Clause giving(const Noun& giver, const Noun& receiver, const Noun& thing, const Verb& verb);

// The verbs by which things change hands.
std::vector<const Verb*> giving_verbs();

// The sentences in English, each with a full stop.
std::string to_english(const std::vector<StorySentence>& story);

// All words of stories, and these, in byte order.
std::vector<std::string> story_words(std::initializer_list<std::string_view> more = {});

}  // namespace tapehead::grammar
