#include "train/evaluation/example_labels.hpp"

#include <cmath>
#include <utility>

#include "datasets/loader.hpp"
#include "nn/transformer/transformer.hpp"
#include "train/evaluation/decoding_batches.hpp"
#include "train/evaluation/shared_parts.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

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

// The labelled rows of each example of a batch.
std::vector<std::vector<RowLabels>> batch_labels(const EnsembleMember& model, const Source& source,
                                                 const std::vector<Index>& examples, Index count) {
  const BestTokens best = best_labels(model.transformer, model.store, pack(source, examples), count,
                                      LogSums::wanted, model.substitute);
  std::vector<std::vector<RowLabels>> results;
  Index row = 0;
  for (const Index example : examples) {
    auto& rows = results.emplace_back();
    for (Index i = source.at(example).predicted; i > 0; --i) {
      rows.push_back(labels_of(best, row++));
    }
  }
  return results;
}

}  // namespace

std::vector<std::vector<RowLabels>> label_examples(const EnsembleMember& model,
                                                   const Source& source, Index batch_tokens,
                                                   Index count, const Team& team) {
  const auto batches = decoding_batches(source, batch_tokens, 1, threads_of(team));
  const auto labels_of_batch = [&](Index b) {
    return batch_labels(model, source, batches[static_cast<std::size_t>(b)], count);
  };
  auto parts = compute_parts<std::vector<std::vector<RowLabels>>>(std::ssize(batches),
                                                                  labels_of_batch, team);
  return in_split_order(batches, std::move(parts), source.size());
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
