// Words: a sentence under construction, each word with its part in the sentence.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tapehead::grammar {

enum class Role {
  adverb,
  comma,
  conjunction,
  auxiliary,  // the finite verb of a compound tense
  verb,
  preposition,
  determiner,
  possessive,
  adjective,
  noun
};
enum class Phrase { none, subject, recipient, object, place };

// In one language no two words of a sentence have the same part. Words of the two languages with
// the same part translate each other.
struct Part {
  Role role;
  Phrase phrase = Phrase::none;
  bool subordinate = false;

  bool operator==(const Part&) const = default;
};

struct Word {
  std::string text;
  Part part;
};

class Words {
 public:
  // A word, or a stem and its ending.
  void add(Part part, std::string_view stem, std::string_view ending = "") {
    part.subordinate = subordinate_;
    words_.push_back({std::string(stem).append(ending), part});
  }
  // All words added later belong to the subordinate clause.
  void begin_subordinate() { subordinate_ = true; }
  std::vector<Word> take() { return std::move(words_); }

 private:
  std::vector<Word> words_;
  bool subordinate_ = false;
};

}  // namespace tapehead::grammar
