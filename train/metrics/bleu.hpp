// BLEU of a corpus (Papineni et al. 2002), with exactly the figures of sacreBLEU (Post 2018).
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "train/metrics/bleu_tokenizer.hpp"
#include "train/metrics/ngrams.hpp"

namespace tapehead {

struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::v13a;
  bool lowercase = false;
};

struct BleuScore {
  double score = 0;                    // 0 ... 100
  std::array<double, 4> precisions{};  // percent, of n-grams of 1 to 4 words, after smoothing
  double brevity_penalty = 0;
  Index hypothesis_length = 0;  // tokens of the corpus
  Index reference_length = 0;
  std::string signature;  // as sacreBLEU prints it with the same score
};

// Hypothesis i is compared with reference i, in UTF-8; smoothing `exp`, no effective order. A
// corpus without a sentence or without a match has score 0. Throws ShapeError if the counts differ.
BleuScore corpus_bleu(Sentences hypotheses, Sentences references, const BleuOptions& options = {});

// The counts from which a corpus' BLEU is computed, for 1 to 4 words. They are summed over its
// sentences.
using BleuCounts = std::array<NgramCounts, 4>;

// The counts of each sentence. Throws ShapeError if the number of references differs.
std::vector<BleuCounts> bleu_counts(Sentences hypotheses, Sentences references,
                                    const BleuOptions& options = {});

BleuScore bleu_of(const BleuCounts& sums, const BleuOptions& options = {});

}  // namespace tapehead
