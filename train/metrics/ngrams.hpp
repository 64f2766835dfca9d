// Counts n-grams (runs of n units: words or characters): n-grams that a hypothesis shares with a
// reference, for BLEU and chrF, and distinct n-grams of generated texts.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// Gives each pair of numbers a number, from 0, in the order in which the pairs first occur.
class PairNumbers {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  PairNumbers();
  std::uint32_t number(std::uint32_t first, std::uint32_t second);      // new if needed
  std::uint32_t find(std::uint32_t first, std::uint32_t second) const;  // none: unknown
  std::size_t count() const { return filled_.size(); }
  void clear();  // keeps the memory

 private:
  struct Slot {
    std::uint64_t pair = 0;
    std::uint32_t number = none;
  };

  std::size_t slot_of(std::uint64_t pair) const;

  std::vector<Slot> slots_;            // open addressing, at most half full
  std::vector<std::uint32_t> filled_;  // the slot of each number
};

// Gives each word a number: the word's node in a tree whose edges are characters.
class WordNumbers {
 public:
  std::uint32_t number(std::u32string_view word);

 private:
  PairNumbers edges_;
};

struct NgramCounts {
  Index hypothesis = 0;
  Index reference = 0;
  Index matches = 0;  // Σ over distinct n-grams of the smaller count of the two texts
};

// Counts exactly without comparing n-grams unit by unit: the number of an n-gram is the number of
// the pair (number of its first n - 1 units, last unit).
class NgramMatcher {
 public:
  // Sets counts[n - 1] to the counts of order n.
  void match(std::span<const std::uint32_t> hypothesis, std::span<const std::uint32_t> reference,
             std::span<NgramCounts> counts);

 private:
  NgramCounts match_order(std::span<const std::uint32_t> hypothesis,
                          std::span<const std::uint32_t> reference, std::size_t order);

  PairNumbers ngrams_;                 // of the reference, of one order
  std::vector<std::uint32_t> unused_;  // for each n-gram, how many are not matched yet
  // The number of the (n-1)-gram that begins at each unit.
  std::vector<std::uint32_t> hypothesis_;
  std::vector<std::uint32_t> reference_;
};

// distinct-n (Li et al. 2016) for n = 1 and 2 words, which says how varied generated texts are: the
// number of distinct n-grams over the number of all n-grams, from 0 to 1; 0 without n-grams. Words
// are separated by white space and compared as they are written; no n-gram crosses from one text to
// the next. (The paper divides by the number of words for both n.)
std::array<double, 2> distinct_ngrams(std::span<const std::string> texts);

}  // namespace tapehead
