#include "train/metrics/score.hpp"

#include "train/metrics/metric_input.hpp"

namespace tapehead {

double exact_match_share(std::span<const std::string> hypotheses,
                         std::span<const std::string> references) {
  expect_pairs(hypotheses, references, "exact_match_share");
  if (hypotheses.empty()) return 0;
  std::size_t matches = 0;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    if (hypotheses[i] == references[i]) ++matches;
  }
  return static_cast<double>(matches) / static_cast<double>(hypotheses.size());
}

TextScores score_texts(std::span<const std::string> hypotheses,
                       std::span<const std::string> references, const BleuOptions& bleu,
                       const ChrfOptions& chrf) {
  return {.bleu = corpus_bleu(hypotheses, references, bleu),
          .chrf = corpus_chrf(hypotheses, references, chrf),
          .sequence_accuracy = exact_match_share(hypotheses, references)};
}

}  // namespace tapehead
