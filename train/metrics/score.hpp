// What an evaluation says of written-out sentences: BLEU, chrF, and how many are exactly right.
#pragma once

#include <span>
#include <string>

#include "train/metrics/bleu.hpp"
#include "train/metrics/chrf.hpp"

namespace tapehead {

struct TextScores {
  BleuScore bleu;
  ChrfScore chrf;
  double sequence_accuracy = 0;  // 0 ... 1
};

// The share of hypotheses that are, byte for byte, their references; 0 for a corpus without a
// sentence. Throws ShapeError when the counts differ.
double exact_match_share(std::span<const std::string> hypotheses,
                         std::span<const std::string> references);

TextScores score_texts(std::span<const std::string> hypotheses,
                       std::span<const std::string> references, const BleuOptions& bleu = {},
                       const ChrfOptions& chrf = {});

}  // namespace tapehead
