// Stories: sentences in which beings give each other things and go to places. Also the options,
// rules and splits that the tasks over stories share.
#pragma once

#include "datasets/grammar/sentence.hpp"
#include "datasets/synthetic/splits.hpp"

namespace tapehead::grammar {

// The content of a sentence: a thing and the being that has it, or a being and its place.
struct Fact {
  const Noun* about = nullptr;
  const Noun* value = nullptr;

  bool operator==(const Fact&) const = default;
};

bool is_thing(const Noun& noun);

// Combinations that no training story has: for each thing one held-out holder, and for each being
// one held-out place.
class Combinations {
 public:
  explicit Combinations(std::uint64_t seed);

  bool held_out(const Fact& fact) const { return values_.at(fact.about) == fact.value; }

 private:
  std::map<const Noun*, const Noun*> values_;  // of each thing and being; beings may share a place
};

struct StorySentence {
  Clause clause;
  Fact fact;  // what is true after the sentence
};

// A story that is being told. Only the holder of a thing gives it away, and no being goes to the
// place where it is. Things and beings come from a small cast, so each occurs several times.
class Story {
 public:
  // `held_out`: whether sentences may have held-out combinations.
  Story(RandomSource& random, const Combinations& combinations, bool held_out);

  std::span<const Noun* const> things() const { return things_; }
  std::span<const Noun* const> beings() const { return beings_; }

  // Somebody gives the thing to some being of the cast, or the being goes to any place.
  void tell(const Noun& about) { is_thing(about) ? give(about) : go(about); }

  const std::vector<StorySentence>& sentences() const { return sentences_; }
  const Noun* value_of(const Noun& about) const;  // of the last fact about it; null before that

 private:
  void give(const Noun& thing);
  void go(const Noun& being);
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

// The verbs of stories with this valency: all except "show". Verbs with `both` let things change
// hands; verbs with `none` let beings change places.
std::vector<const Verb*> verbs_with(Valency valency);

// The sentences in English, each with a full stop.
std::string to_english(const std::vector<StorySentence>& story);

// All words of stories and the words `more`, in byte order.
std::vector<std::string> story_words(std::initializer_list<std::string_view> more = {});

}  // namespace tapehead::grammar

namespace tapehead {

struct StoryOptions {
  Index min_sentences = 5;
  Index max_sentences = 9;
  Index longer_min_sentences = 10;
  Index longer_max_sentences = 12;
  Index further_examples = 1000;

  // A sentence has up to 8 tokens, "the king gave the queen the book ."; a question has 5, "who has
  // the book ?".
  LongestSide longest() const {
    return {8 * longer_max_sentences + 5, "task.longer_max_sentences"};
  }

  void fields(const auto& row) {
    constexpr int most = 1000;
    row(min_sentences, named("min_sentences", 5, most), "sentences of the shortest story");
    row(max_sentences, named("max_sentences", 5, most), "sentences of the longest story");
    row(longer_min_sentences, named("longer_min_sentences", 6, most),
        "sentences of the shortest story in the further test split `longer`");
    row(longer_max_sentences, named("longer_max_sentences", 6, most),
        "sentences of the longest story in the further test split `longer`");
    row(further_examples, named("further_examples", 1, 1e7),
        "stories of each further test split: `combinations`, whose answers have combinations "
        "that no trained story has, and `longer`");
  }
};

// Draws an example. `held_out`: whether its answer is a held-out combination.
using DrawStoryExample = Example (*)(RandomSource&, const Lengths& sentences,
                                     const grammar::Combinations&, bool held_out, const Tokenizer&);

// The splits of a task over stories: train, validation, test, combinations, longer.
Task make_story_task(const TaskOptions& options, const std::shared_ptr<const Tokenizer>& tokenizer,
                     DrawStoryExample draw, const RelationsOf& relations, const TaskMaking& making,
                     std::function<void(Example&)> leave_out = {});

extern const std::array<TaskRule, 1> story_rules;
inline std::vector<std::string> story_splits(const TaskOptions& /*options*/) {
  return {"train", "validation", "test", "combinations", "longer"};
}
void shrink_stories(TaskOptions& options, const Shrinking& shrink);

}  // namespace tapehead
