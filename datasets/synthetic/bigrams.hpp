// How often the characters of a text occur, and follow each other, for the task bigrams.
#pragma once

#include "datasets/synthetic/splits.hpp"

namespace tapehead {

// Draws numbers in proportion to counts, one of which at least is above 0.
class CountedDraw {
 public:
  explicit CountedDraw(const std::vector<Index>& counts);
  Index operator()(RandomSource& random) const;

 private:
  std::vector<Index> sums_;
};

// The characters are in the order of their bytes; a blank is written as "␣", a line end as "↵", a
// tab as "␉". The first character of the text follows the last one, so each has a follower.
struct BigramStatistics {
  std::vector<std::string> characters;
  std::vector<Index> counts;
  CountedDraw unigrams;
  std::vector<CountedDraw> followers;  // of each character

  Index size() const { return std::ssize(characters); }
};

// The text is not empty.
BigramStatistics statistics_of(std::string_view text);

}  // namespace tapehead
