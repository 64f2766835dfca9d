// chrF and chrF++ of a corpus (Popović 2015, 2017), figure for figure as sacreBLEU computes them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "train/metrics/ngrams.hpp"

namespace tapehead {

struct ChrfOptions {
  bool lowercase = false;
  Index word_order = 0;  // 2: chrF++, which counts n-grams of up to so many words as well
};

struct ChrfScore {
  double score = 0;       // 0 ... 100
  std::string signature;  // the one that sacreBLEU prints with the same score
};

// The F score, recall counting twice as much as precision (β = 2), of n-grams of 1 to 6 characters
// without the white space. Hypothesis i against reference i, in UTF-8. A corpus without a sentence
// has score 0. Throws ShapeError when the counts differ, ConfigError for a negative word order.
ChrfScore corpus_chrf(std::span<const std::string> hypotheses,
                      std::span<const std::string> references, const ChrfOptions& options = {});

// What a corpus' chrF comes from: counts of each order, characters before words, to be summed up
// over its sentences.
using ChrfCounts = std::vector<NgramCounts>;

// Those of each sentence; none of an order that its reference does not have, which then does not
// count against precision. Throws as corpus_chrf does.
std::vector<ChrfCounts> chrf_counts(std::span<const std::string> hypotheses,
                                    std::span<const std::string> references,
                                    const ChrfOptions& options = {});

ChrfScore chrf_of(const ChrfCounts& sums, const ChrfOptions& options = {});

}  // namespace tapehead
