// Reads the stories of tasks word by word, without using the code that tells them.
#pragma once

#include <sstream>

#include "datasets/grammar/lexicon.hpp"

namespace tapehead {

using Words = std::vector<std::string>;

inline Words words_of(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

// Splits words into sentences without full stops; words after the last full stop are dropped.
inline std::vector<Words> sentences_of(const Words& words) {
  std::vector<Words> sentences;
  Words sentence;
  for (const std::string& word : words) {
    if (word == ".") {
      sentences.push_back(std::exchange(sentence, {}));
    } else {
      sentence.push_back(word);
    }
  }
  return sentences;
}

inline bool is_one_of(std::span<const grammar::Noun> nouns, const std::string& word) {
  return std::ranges::find(nouns, word, &grammar::Noun::singular) != nouns.end();
}

inline const std::set<std::string, std::less<>>& all_nouns() {
  static const auto all = [] {
    std::set<std::string, std::less<>> nouns;
    for (const auto list : {grammar::beings(), grammar::things(), grammar::places()}) {
      for (const grammar::Noun& noun : list) {
        nouns.emplace(noun.singular);
      }
    }
    return nouns;
  }();
  return all;
}

// "the king gave the queen the book" has the nouns king, queen and book.
inline Words nouns_of(const Words& sentence) {
  Words nouns;
  std::ranges::copy_if(sentence, std::back_inserter(nouns),
                       [](const std::string& word) { return all_nouns().contains(word); });
  return nouns;
}

// A sentence in which a thing changes hands has three nouns: giver, receiver, thing. Other
// sentences have two nouns: a being and its place.
inline bool is_giving(const Words& sentence) { return nouns_of(sentence).size() == 3; }

struct World {
  std::map<std::string, std::string> holders;  // by thing that was given
  std::map<std::string, std::string> places;   // by being that went somewhere

  void after(const Words& sentence) {
    const Words nouns = nouns_of(sentence);
    if (is_giving(sentence)) {
      if (const auto holder = holders.find(nouns[2]);
          holder != holders.end() && holder->second != nouns[0]) {
        throw std::logic_error(nouns[0] + " does not have the " + nouns[2]);
      }
      holders[nouns[2]] = nouns[1];
    } else {
      places[nouns[0]] = nouns[1];
    }
  }
};

inline World world_of(const std::vector<Words>& sentences) {
  World world;
  for (const Words& sentence : sentences) {
    world.after(sentence);
  }
  return world;
}

// The pairs of thing and holder (before and after), or of being and place, in a sentence.
inline std::set<std::pair<std::string, std::string>> combinations_of(const Words& sentence) {
  const Words nouns = nouns_of(sentence);
  if (is_giving(sentence)) {
    return {{nouns[2], nouns[0]}, {nouns[2], nouns[1]}};
  }
  return {{nouns[0], nouns[1]}};
}

}  // namespace tapehead
