// BLEU and chrF of a whole corpus, summed from per-sentence summands.
#pragma once

#include "train/metrics/evaluation_options.hpp"
#include "train/metrics/overlap_metrics.hpp"

namespace tapehead {

// A metric's sums, `summands` per example. Output i is compared with reference i.
inline std::vector<double> corpus_sums(const MetricKind& metric, std::size_t summands,
                                       std::span<const std::string> outputs,
                                       std::span<const std::string> references,
                                       const EvaluationOptions& options) {
  std::vector<ExampleScore> examples(outputs.size());
  for (std::size_t i = 0; i < examples.size(); ++i) {
    examples[i].output = outputs[i];
    examples[i].reference = references[i];
  }
  std::vector<double> sums(summands, 0.0);
  const std::vector<double> rows = metric.summands(examples, options);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sums[i % summands] += rows[i];
  }
  return sums;
}

inline BleuScore corpus_bleu(std::span<const std::string> outputs,
                             std::span<const std::string> references,
                             const EvaluationOptions& options = {}) {
  return bleu_of(corpus_sums(bleu_metric, 12, outputs, references, options));
}

inline double corpus_chrf(std::span<const std::string> outputs,
                          std::span<const std::string> references,
                          const EvaluationOptions& options = {}) {
  return chrf_of(corpus_sums(chrf_metric, 18, outputs, references, options));
}

}  // namespace tapehead
