// BLEU of a corpus (Papineni et al. 2002), figure for figure as sacreBLEU computes it (Post 2018).
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
  std::string signature;  // the one that sacreBLEU prints with the same score
};

// Hypothesis i against reference i, in UTF-8; smoothing `exp`, no effective order. A corpus without
// a sentence, or without a match, has score 0. Throws ShapeError when the counts differ.
BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                      std::span<const std::string> references, const BleuOptions& options = {});

// What a corpus' BLEU comes from: counts of 1 to 4 words, to be summed up over its sentences.
using BleuCounts = std::array<NgramCounts, 4>;

// Those of each sentence. Throws ShapeError when there are not as many references.
std::vector<BleuCounts> bleu_counts(std::span<const std::string> hypotheses,
                                    std::span<const std::string> references,
                                    const BleuOptions& options = {});

BleuScore bleu_of(const BleuCounts& sums, const BleuOptions& options = {});

}  // namespace tapehead
