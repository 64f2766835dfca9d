#include "train/example_decoding.hpp"

#include <algorithm>

#include "datasets/loader.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

std::vector<std::vector<Hypothesis>> decode_examples(const Transformer& model,
                                                     const ParameterStore& store,
                                                     const Split& split, Index batch_tokens,
                                                     const DecodingOptions& options,
                                                     Workers& workers) {
  const auto batches = ordered_batches(split, std::max<Index>(1, batch_tokens / options.beam));
  std::vector<std::vector<Hypothesis>> results(split.examples.size());
  workers.run(static_cast<Index>(batches.size()), [&](Index b) {
    const Batch batch = make_batch(split, batches[static_cast<std::size_t>(b)]);
    auto outputs = decode_batch(model, store, batch.source, batch.source_segments, options);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      results[static_cast<std::size_t>(batch.examples[i])] = std::move(outputs[i]);
    }
  });
  return results;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
