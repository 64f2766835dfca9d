#include "train/evaluation/example_decoding.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "datasets/loader.hpp"
#include "nn/transformer/transformer.hpp"
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

namespace {

std::vector<std::vector<Hypothesis>> labels_as_outputs(const EnsembleMember& model,
                                                       const Source& source, Index batch_tokens,
                                                       const Team& team) {
  std::vector<std::vector<Hypothesis>> results;
  for (const auto& rows : label_examples(model, source, batch_tokens, 1, team)) {
    Hypothesis output;
    for (const RowLabels& labels : rows) {
      output.tokens.push_back(labels.front().label);
      output.log_probability += std::log(labels.front().probability);
    }
    output.score = output.log_probability;
    results.push_back({std::move(output)});
  }
  return results;
}

// The best outputs of each example of a batch.
std::vector<std::vector<Hypothesis>> decode_batch_of(std::span<const ModelAndSource> models,
                                                     const std::vector<Index>& batch,
                                                     const DecodingOptions& options) {
  const auto is_empty = [&](Index example) {
    return models.front().source->at(example).source.size() == 0;
  };
  std::vector<Index> examples;
  std::ranges::remove_copy_if(batch, std::back_inserter(examples), is_empty);
  std::vector<std::vector<Hypothesis>> outputs;
  if (!examples.empty()) {
    std::vector<EnsembleMember> members;
    std::vector<Prompts> prompts;
    for (const auto& [model, source] : models) {
      members.push_back(model);
      prompts.push_back(pack_prompts(*source, examples));
    }
    outputs = decode_batch(members, prompts, options);
  }
  std::vector<std::vector<Hypothesis>> results;
  auto next = outputs.begin();
  for (const Index example : batch) {
    results.push_back(is_empty(example) ? std::vector<Hypothesis>(1) : std::move(*next++));
  }
  return results;
}

}  // namespace

// The members, for ByteWriter and ByteReader.
template <class Bytes>
void serialize(Bytes& bytes, Hypothesis& hypothesis) {
  bytes(hypothesis.tokens, hypothesis.log_probability, hypothesis.score, hypothesis.ended);
}

std::vector<std::vector<Hypothesis>> decode_examples(std::span<const ModelAndSource> models,
                                                     Index batch_tokens,
                                                     const DecodingOptions& options,
                                                     const Team& team) {
  const auto& [model, source] = models.front();
  if (source->in_one_pass()) {
    return labels_as_outputs(model, *source, batch_tokens, team);
  }
  const auto batches = decoding_batches(*source, batch_tokens, options.beam, threads_of(team));
  const auto outputs_of_batch = [&](Index b) {
    return decode_batch_of(models, batches[static_cast<std::size_t>(b)], options);
  };
  auto parts = compute_parts<std::vector<std::vector<Hypothesis>>>(std::ssize(batches),
                                                                   outputs_of_batch, team);
  return in_split_order(batches, std::move(parts), source->size());
}

std::vector<std::vector<Hypothesis>> decode_examples(const Transformer& model,
                                                     const ParameterStore& store,
                                                     const Source& source, Index batch_tokens,
                                                     const DecodingOptions& options,
                                                     const Team& team) {
  const std::shared_ptr<const Source> lent(std::shared_ptr<const Source>(), &source);
  const ModelAndSource only{.model = {.transformer = model, .store = store}, .source = lent};
  return decode_examples({&only, 1}, batch_tokens, options, team);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
