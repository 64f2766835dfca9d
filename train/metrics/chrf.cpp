#include "train/metrics/chrf.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "train/metrics/code_points.hpp"
#include "train/metrics/metric_input.hpp"
#include "train/metrics/ngrams.hpp"

namespace tapehead {

namespace {

constexpr std::size_t character_order = 6;

struct Units {
  std::vector<std::uint32_t> characters;
  std::vector<std::uint32_t> words;
};

bool is_ascii_punctuation(char32_t c) {
  return (c >= U'!' && c <= U'/') || (c >= U':' && c <= U'@') || (c >= U'[' && c <= U'`') ||
         (c >= U'{' && c <= U'~');
}

// A punctuation mark at a word's end is a word; failing that, one at its beginning. Never both.
void append_words(std::u32string_view word, WordNumbers& numbers,
                  std::vector<std::uint32_t>& words) {
  std::size_t cut = 0;
  if (word.size() > 1 && is_ascii_punctuation(word.back())) {
    cut = word.size() - 1;
  } else if (word.size() > 1 && is_ascii_punctuation(word.front())) {
    cut = 1;
  }
  if (cut > 0) words.push_back(numbers.number(word.substr(0, cut)));
  words.push_back(numbers.number(word.substr(cut)));
}

Units units_of(std::string_view sentence, const ChrfOptions& options, WordNumbers& numbers) {
  std::u32string text = decode_utf8(sentence);
  if (options.lowercase) make_lower_case(text);
  Units units;
  units.characters.reserve(text.size());
  for_each_word(text, [&](std::u32string_view word) {
    units.characters.insert(units.characters.end(), word.begin(), word.end());
    if (options.word_order > 0) append_words(word, numbers, units.words);
  });
  return units;
}

// F = (1 + β²) P R / (β² P + R), where P and R are means over the orders that both sides have.
double f_score(const std::vector<NgramCounts>& orders) {
  constexpr double beta_squared = 4;
  double precision = 0;
  double recall = 0;
  double effective_orders = 0;
  for (const NgramCounts& counts : orders) {
    if (counts.hypothesis == 0 || counts.reference == 0) continue;
    precision += static_cast<double>(counts.matches) / static_cast<double>(counts.hypothesis);
    recall += static_cast<double>(counts.matches) / static_cast<double>(counts.reference);
    ++effective_orders;
  }
  if (precision + recall == 0) return 0;
  precision /= effective_orders;
  recall /= effective_orders;
  return 100 * ((1 + beta_squared) * precision * recall / (beta_squared * precision + recall));
}

std::string signature_of(const ChrfOptions& options) {
  return fmt::format("nrefs:1|case:{}|eff:yes|nc:{}|nw:{}|space:no|version:{}",
                     options.lowercase ? "lc" : "mixed", character_order, options.word_order,
                     sacrebleu_version);
}

}  // namespace

ChrfScore corpus_chrf(std::span<const std::string> hypotheses,
                      std::span<const std::string> references, const ChrfOptions& options) {
  expect_pairs(hypotheses, references, "corpus_chrf");
  if (options.word_order < 0) {
    throw ConfigError(
        fmt::format("corpus_chrf: word_order is {}, but counts words: 0 for chrF, 2 "
                    "for chrF++",
                    options.word_order));
  }
  WordNumbers numbers;
  NgramMatcher matcher;
  std::vector<NgramCounts> sums(character_order + static_cast<std::size_t>(options.word_order));
  std::vector<NgramCounts> counts(sums.size());
  const std::span<NgramCounts> all = counts;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const Units hypothesis = units_of(hypotheses[i], options, numbers);
    const Units reference = units_of(references[i], options, numbers);
    matcher.match(hypothesis.characters, reference.characters, all.first(character_order));
    matcher.match(hypothesis.words, reference.words, all.subspan(character_order));
    for (std::size_t n = 0; n < sums.size(); ++n) {
      // A sentence whose reference has no n-gram of this order does not count against precision.
      if (counts[n].reference > 0) sums[n] += counts[n];
    }
  }
  return {.score = f_score(sums), .signature = signature_of(options)};
}

}  // namespace tapehead
