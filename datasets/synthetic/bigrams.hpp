// Counts of the characters and bigrams of a text, for the task bigrams.
#pragma once

#include "datasets/synthetic/splits.hpp"

namespace tapehead {

// Draws an index in proportion to its count. At least one count is above 0.
class CountedDraw {
 public:
  explicit CountedDraw(const std::vector<Index>& counts);
  Index operator()(RandomSource& random) const;

 private:
  std::vector<Index> sums_;
};

// The characters are in byte order; a blank is written as "␣", a line end as "↵", a tab as "␉". The
// first character of the text counts as the follower of the last one, so each has a follower.
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
