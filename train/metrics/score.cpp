#include "train/metrics/score.hpp"

namespace tapehead {

TextScores score_texts(std::span<const std::string> hypotheses,
                       std::span<const std::string> references, const BleuOptions& bleu,
                       const ChrfOptions& chrf) {
  return {.bleu = corpus_bleu(hypotheses, references, bleu),
          .chrf = corpus_chrf(hypotheses, references, chrf)};
}

}  // namespace tapehead
