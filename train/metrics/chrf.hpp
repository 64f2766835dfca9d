// chrF and chrF++ of a corpus (Popović 2015, 2017), with exactly the figures of sacreBLEU.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "train/metrics/ngrams.hpp"

namespace tapehead {

struct ChrfOptions {
  bool lowercase = false;
  Index word_order = 0;  // 2: chrF++, which also counts n-grams of up to this many words
};

struct ChrfScore {
  double score = 0;       // 0 ... 100
  std::string signature;  // as sacreBLEU prints it with the same score
};

// The F score of n-grams of 1 to 6 characters without white space, where recall counts twice as
// much as precision (β = 2). Hypothesis i is compared with reference i, in UTF-8. A corpus without
// a sentence has score 0. Throws ShapeError if the counts differ, ConfigError for a negative word
// order.
ChrfScore corpus_chrf(Sentences hypotheses, Sentences references, const ChrfOptions& options = {});

// The counts from which a corpus' chrF is computed, for each order, characters before words. They
// are summed over its sentences.
using ChrfCounts = std::vector<NgramCounts>;

// The counts of each sentence. An order that the reference does not have counts as 0, so that it
// does not reduce precision. Throws as corpus_chrf does.
std::vector<ChrfCounts> chrf_counts(Sentences hypotheses, Sentences references,
                                    const ChrfOptions& options = {});

ChrfScore chrf_of(const ChrfCounts& sums, const ChrfOptions& options = {});

}  // namespace tapehead
