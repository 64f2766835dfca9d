#include "train/evaluation/example_decoding.hpp"

#include "datasets/loader.hpp"
#include "nn/transformer/transformer.hpp"
#include "train/evaluation/shared_parts.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The results of all examples in the order of the source. `compute` returns the results of a batch.
template <class T, class Compute>
std::vector<T> compute_batches(const Source& source, Index batch_tokens, Index beam,
                               const Compute& compute, const Team& team) {
  const auto batches = decoding_batches(source, batch_tokens, beam, threads_of(team));
  auto parts = compute_parts<std::vector<T>>(
      std::ssize(batches), [&](Index b) { return compute(batches[static_cast<std::size_t>(b)]); },
      team);
  std::vector<T> results(static_cast<std::size_t>(source.size()));
  for (std::size_t b = 0; b < batches.size(); ++b) {
    for (std::size_t i = 0; i < batches[b].size(); ++i) {
      results[static_cast<std::size_t>(batches[b][i])] = std::move(parts[b][i]);
    }
  }
  return results;
}

RowLabels labels_of(const BestTokens& best, Index row) {
  return mapped(best.of(row), [&](const TokenLogit& one) {
    const double log_sum = best.log_sums[static_cast<std::size_t>(row)];
    return LikelyLabel{.label = one.token,
                       .probability = std::exp(static_cast<double>(one.logit) - log_sum)};
  });
}

Outputs decode_batch_of(std::span<const ModelAndSource> models, const std::vector<Index>& batch,
                        const DecodingOptions& options) {
  const auto is_empty = [&](Index example) {
    return models.front().source->at(example).source.size() == 0;
  };
  std::vector<Index> examples;
  std::ranges::remove_copy_if(batch, std::back_inserter(examples), is_empty);
  Outputs outputs;
  if (!examples.empty()) {
    std::vector<EnsembleMember> members;
    std::vector<Prompts> prompts;
    for (const auto& [model, source] : models) {
      members.push_back(model);
      prompts.push_back(pack_prompts(*source, examples));
    }
    outputs = decode_batch(members, prompts, options);
  }
  auto next = outputs.begin();
  return mapped(batch, [&](Index example) {
    return is_empty(example) ? std::vector<Hypothesis>(1) : std::move(*next++);
  });
}

}  // namespace

std::vector<std::vector<Index>> decoding_batches(const Source& source, Index batch_tokens,
                                                 Index beam, Index workers) {
  const Index most = std::max<Index>(1, batch_tokens / beam);
  Index all = 0;
  Index longest = 0;
  for (Index i = 0; i < source.size(); ++i) {
    const Index tokens = source.lengths(i).longer();
    all += tokens;
    longest = std::max(longest, tokens);
  }
  const Index rounds = std::max<Index>(1, (all + most * workers - 1) / (most * workers));
  return ordered_batches(source, std::min(most, all / (rounds * workers) + longest));
}

std::vector<ExampleLabels> label_examples(const EnsembleMember& model, const Source& source,
                                          Index batch_tokens, Index count, const Team& team) {
  const auto labels_of_batch = [&](const std::vector<Index>& batch) {
    const BestTokens best = best_labels(model.transformer, model.store, pack(source, batch), count,
                                        LogSums::wanted, model.substitute);
    std::vector<ExampleLabels> results;
    Index row = 0;
    for (const Index example : batch) {
      auto& rows = results.emplace_back();
      for (Index i = source.at(example).predicted; i > 0; --i) {
        rows.push_back(labels_of(best, row++));
      }
    }
    return results;
  };
  return compute_batches<ExampleLabels>(source, batch_tokens, 1, labels_of_batch, team);
}

// Lets ByteWriter and ByteReader visit the members.
void serialize(auto& bytes, Hypothesis& hypothesis) {
  bytes(hypothesis.tokens, hypothesis.log_probability, hypothesis.score, hypothesis.ended);
}

Outputs decode_examples(std::span<const ModelAndSource> models, Index batch_tokens,
                        const DecodingOptions& options, const Team& team) {
  const auto& [model, source] = models.front();
  if (source->in_one_pass()) {
    Outputs results;
    for (const ExampleLabels& rows : label_examples(model, *source, batch_tokens, 1, team)) {
      Hypothesis& output = results.emplace_back(1).front();
      for (const RowLabels& labels : rows) {
        output.tokens.push_back(labels.front().label);
        output.log_probability += std::log(labels.front().probability);
      }
      output.score = output.log_probability;
    }
    return results;
  }
  const auto outputs_of_batch = [&](const std::vector<Index>& batch) {
    return decode_batch_of(models, batch, options);
  };
  return compute_batches<std::vector<Hypothesis>>(*source, batch_tokens, options.beam,
                                                  outputs_of_batch, team);
}

Outputs decode_examples(const Transformer& model, const ParameterStore& store, const Source& source,
                        Index batch_tokens, const DecodingOptions& options, const Team& team) {
  const std::shared_ptr<const Source> lent(std::shared_ptr<const Source>(), &source);
  const ModelAndSource only{.model = {.transformer = model, .store = store}, .source = lent};
  return decode_examples({&only, 1}, batch_tokens, options, team);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
