#include "train/evaluation/example_decoding.hpp"

#include <algorithm>
#include <utility>

#include "datasets/loader.hpp"
#include "train/options/layout.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// The number of tokens in a batch, at most `most`, with which all workers get the same number of
// batches.
Index balanced_batch_tokens(const Split& split, Index most, Index workers, const Layout& layout) {
  Index all = 0;
  Index longest = 0;
  for (Index i = 0; i < split.size(); ++i) {
    const ExampleRows rows = example_rows(split, i, layout);
    const Index tokens = std::max(rows.context, rows.input);
    all += tokens;
    longest = std::max(longest, tokens);
  }
  const Index rounds = std::max<Index>(1, (all + most * workers - 1) / (most * workers));
  return std::min(most, all / (rounds * workers) + longest);
}

}  // namespace

std::vector<std::vector<Index>> decoding_batches(const Split& split, Index batch_tokens, Index beam,
                                                 Index workers, const Layout& layout) {
  const Index most = std::max<Index>(1, batch_tokens / beam);
  return ordered_batches(split, balanced_batch_tokens(split, most, workers, layout), layout);
}

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
  const EnsembleMember alone{.transformer = model, .store = store};
  return decode_examples({&alone, 1}, split, batch_tokens, options, workers);
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
