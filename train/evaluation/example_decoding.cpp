#include "train/evaluation/example_decoding.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "datasets/loader.hpp"
#include "train/evaluation/example_labels.hpp"
#include "train/options/layout.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

std::vector<std::vector<Hypothesis>> labels_as_outputs(const Transformer& model,
                                                       const ParameterStore& store,
                                                       const Split& split, Index batch_tokens,
                                                       Workers& workers) {
  std::vector<std::vector<Hypothesis>> results;
  for (const auto& rows : label_examples(model, store, split, batch_tokens, 1, workers)) {
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

}  // namespace

std::vector<std::vector<Hypothesis>> decode_examples(std::span<const EnsembleMember> models,
                                                     const Split& split, Index batch_tokens,
                                                     const DecodingOptions& options,
                                                     Workers& workers) {
  const auto batches = decoding_batches(split, batch_tokens, options.beam, workers.threads(),
                                        layout_of(models.front().transformer.options()));
  std::vector<std::vector<Hypothesis>> results(split.examples.size());
  workers.run(static_cast<Index>(batches.size()), [&](Index b) {
    std::vector<Index> examples = batches[static_cast<std::size_t>(b)];
    std::erase_if(examples, [&](Index example) {
      const auto i = static_cast<std::size_t>(example);
      const bool empty = split.examples[i].source.empty();
      if (empty) {
        results[i].emplace_back();
      }
      return empty;
    });
    if (examples.empty()) {
      return;
    }
    std::vector<Prompts> prompts;
    for (const EnsembleMember& model : models) {
      prompts.push_back(make_prompts(split, examples, layout_of(model.transformer.options())));
    }
    auto outputs = decode_batch(models, prompts, options);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      results[static_cast<std::size_t>(examples[i])] = std::move(outputs[i]);
    }
  });
  return results;
}

std::vector<std::vector<Hypothesis>> decode_examples(const Transformer& model,
                                                     const ParameterStore& store,
                                                     const Split& split, Index batch_tokens,
                                                     const DecodingOptions& options,
                                                     Workers& workers) {
  if (split.classes || model.family() == Family::encoder) {
    return labels_as_outputs(model, store, split, batch_tokens, workers);
  }
  const EnsembleMember alone{.transformer = model, .store = store};
  return decode_examples({&alone, 1}, split, batch_tokens, options, workers);
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
