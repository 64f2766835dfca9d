#include "train/metrics/distinct.hpp"

#include "train/metrics/metric_input.hpp"
#include "train/metrics/ngrams.hpp"

namespace tapehead {

namespace {

double share_of(std::size_t distinct, std::size_t all) {
  return all > 0 ? static_cast<double>(distinct) / static_cast<double>(all) : 0;
}

}  // namespace

std::array<double, 2> distinct_ngrams(std::span<const std::string> texts) {
  constexpr std::uint32_t nothing = PairNumbers::none;
  WordNumbers numbers;
  PairNumbers words;  // each as a pair with nothing
  PairNumbers pairs;
  std::size_t all_words = 0;
  std::size_t all_pairs = 0;
  for (const std::string& text : texts) {
    std::uint32_t before = nothing;
    for_each_word(decode_utf8(text), [&](std::u32string_view word) {
      const std::uint32_t number = numbers.number(word);
      words.number(nothing, number);
      ++all_words;
      if (before != nothing) {
        pairs.number(before, number);
        ++all_pairs;
      }
      before = number;
    });
  }
  return {share_of(words.count(), all_words), share_of(pairs.count(), all_pairs)};
}

}  // namespace tapehead
