// What an evaluation says of written-out sentences: BLEU and chrF.
#pragma once

#include <span>
#include <string>

#include "train/metrics/bleu.hpp"
#include "train/metrics/chrf.hpp"

namespace tapehead {

struct TextScores {
  BleuScore bleu;
  ChrfScore chrf;
};

// Throws ShapeError when the counts differ.
TextScores score_texts(std::span<const std::string> hypotheses,
                       std::span<const std::string> references, const BleuOptions& bleu = {},
                       const ChrfOptions& chrf = {});

}  // namespace tapehead
