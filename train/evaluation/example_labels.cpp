#include "train/evaluation/example_labels.hpp"

#include <cmath>

#include "datasets/loader.hpp"
#include "nn/transformer/best_labels.hpp"
#include "train/evaluation/decoding_batches.hpp"
#include "train/options/layout.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

RowLabels labels_of(const BestTokens& best, Index row) {
  RowLabels labels;
  for (const TokenLogit& one : best.of(row)) {
    const double log_sum = best.log_sums[static_cast<std::size_t>(row)];
    labels.push_back(
        {.label = one.token, .probability = std::exp(static_cast<double>(one.logit) - log_sum)});
  }
  return labels;
}

}  // namespace

std::vector<std::vector<RowLabels>> label_examples(const Transformer& model,
                                                   const ParameterStore& store, const Split& split,
                                                   Index batch_tokens, Index count,
                                                   Workers& workers) {
  const Layout layout = layout_of(model.options());
  const auto batches = decoding_batches(split, batch_tokens, 1, workers.threads(), layout);
  std::vector<std::vector<RowLabels>> results(static_cast<std::size_t>(split.size()));
  workers.run(static_cast<Index>(batches.size()), [&](Index b) {
    const std::vector<Index>& examples = batches[static_cast<std::size_t>(b)];
    const BestTokens best = best_labels(model, store, make_batch(split, examples, layout), count);
    Index row = 0;
    for (const Index example : examples) {
      auto& rows = results[static_cast<std::size_t>(example)];
      for (Index i = label_rows(split, example, layout); i > 0; --i) {
        rows.push_back(labels_of(best, row++));
      }
    }
  });
  return results;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
