#include "train/metrics/chrf.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "train/metrics/code_points.hpp"

namespace tapehead {

namespace {

constexpr std::size_t character_order = 6;

struct Units {
  std::vector<std::uint32_t> characters;
  std::vector<std::uint32_t> words;
};

// A punctuation mark at the end of a word becomes a separate word; otherwise one at its beginning
// does. Never both, and never the whole word.
void append_words(std::u32string_view word, WordNumbers& numbers,
                  std::vector<std::uint32_t>& words) {
  const std::size_t cut = is_ascii_punctuation(word.back())    ? word.size() - 1
                          : is_ascii_punctuation(word.front()) ? 1
                                                               : 0;
  if (cut > 0) {
    words.push_back(numbers.number(word.substr(0, cut)));
  }
  words.push_back(numbers.number(word.substr(cut)));
}

Units units_of(std::string_view sentence, const ChrfOptions& options, WordNumbers& numbers) {
  std::u32string text = decode_utf8(sentence);
  if (options.lowercase) {
    make_lower_case(text);
  }
  Units units;
  units.characters.reserve(text.size());
  for_each_word(text, [&](std::u32string_view word) {
    units.characters.insert(units.characters.end(), word.begin(), word.end());
    if (options.word_order > 0) {
      append_words(word, numbers, units.words);
    }
  });
  return units;
}

std::size_t orders_of(const ChrfOptions& options) {
  return character_order + static_cast<std::size_t>(options.word_order);
}

// F = (1 + β²) P R / (β² P + R), where P and R are means over the orders that both sides have.
double f_score(const ChrfCounts& orders) {
  constexpr double beta_squared = 4;
  double precision = 0;
  double recall = 0;
  double effective_orders = 0;
  for (const NgramCounts& counts : orders) {
    if (counts.hypothesis == 0 || counts.reference == 0) {
      continue;
    }
    precision += static_cast<double>(counts.matches) / static_cast<double>(counts.hypothesis);
    recall += static_cast<double>(counts.matches) / static_cast<double>(counts.reference);
    ++effective_orders;
  }
  if (precision + recall == 0) {
    return 0;
  }
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

std::vector<ChrfCounts> chrf_counts(Sentences hypotheses, Sentences references,
                                    const ChrfOptions& options) {
  expect_pairs(hypotheses, references, "corpus_chrf");
  if (options.word_order < 0) {
    throw ConfigError(
        fmt::format("corpus_chrf: word_order is {}, but counts words: 0 for chrF, 2 for chrF++",
                    options.word_order));
  }
  WordNumbers numbers;
  NgramMatcher matcher;
  std::vector<ChrfCounts> all(hypotheses.size());
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    ChrfCounts& counts = all[i];
    counts.resize(orders_of(options));
    const Units hypothesis = units_of(hypotheses[i], options, numbers);
    const Units reference = units_of(references[i], options, numbers);
    const std::span<NgramCounts> orders = counts;
    matcher.match(hypothesis.characters, reference.characters, orders.first(character_order));
    matcher.match(hypothesis.words, reference.words, orders.subspan(character_order));
    std::ranges::replace_if(
        counts, [](const NgramCounts& one) { return one.reference == 0; }, NgramCounts{});
  }
  return all;
}

ChrfScore chrf_of(const ChrfCounts& sums, const ChrfOptions& options) {
  return {.score = f_score(sums), .signature = signature_of(options)};
}

ChrfScore corpus_chrf(Sentences hypotheses, Sentences references, const ChrfOptions& options) {
  const std::vector<ChrfCounts> all = chrf_counts(hypotheses, references, options);
  ChrfCounts sums(orders_of(options));
  for (const ChrfCounts& counts : all) {
    for (std::size_t n = 0; n < sums.size(); ++n) {
      sums[n] += counts[n];
    }
  }
  return chrf_of(sums, options);
}

}  // namespace tapehead
