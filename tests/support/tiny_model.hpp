// A transformer small enough to check every gradient, and batches for it.
#pragma once

#include "core/sequence/batch.hpp"
#include "nn/transformer/transformer.hpp"
#include "tests/support/random_tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The same mark ids as in the vocabularies: begin 1, end 2.
constexpr TokenId begin_mark = 1;
constexpr TokenId end_mark = 2;
constexpr Index tiny_vocabulary = 9;

// Distinct widths, none a multiple of the vector width.
inline ModelOptions tiny_options() {
  ModelOptions options;
  options.d_model = 6;
  options.heads = 2;
  options.d_head = 5;
  options.layers = 1;
  options.d_ff = 11;
  options.activation = Activation::gelu;
  options.max_positions = 16;
  return options;
}

// Moves biases and gains away from their initial values, which could hide mistakes.
inline void shake_parameters(ParameterStore& store, double magnitude) {
  const Tensor noise = random_tensor({store.size()}, 7, -magnitude, magnitude);
  const std::span<Scalar> values = store.values().values();
  std::ranges::transform(values, noise.values(), values.begin(), std::plus<>());
}

struct TinyModel {
  explicit TinyModel(const ModelOptions& options, std::uint64_t seed = 1,
                     Index source_vocabulary = tiny_vocabulary)
      : transformer(store.root(), options, source_vocabulary, tiny_vocabulary) {
    store.initialize(seed);
  }

  void shake(double magnitude) { shake_parameters(store, magnitude); }

  ParameterStore store;
  Transformer transformer;
};

// The values of the parameter with this name, in the store's memory.
inline Tensor values_of(const ParameterStore& store, std::string_view name) {
  const auto found = std::ranges::find(store.parameters(), name, &NamedParameter::name);
  if (found == store.parameters().end()) {
    throw std::logic_error(fmt::format("no parameter {}", name));
  }
  return store.value(*found);
}

// Sets all numbers of the parameters whose names end like this.
inline void fill_parameters(const ParameterStore& store, std::string_view ending, Scalar number) {
  for (const NamedParameter& parameter : store.parameters()) {
    if (parameter.name.ends_with(ending)) {
      std::ranges::fill(store.value(parameter).values(), number);
    }
  }
}

using Sentence = std::vector<TokenId>;

inline Batch batch_of(const std::vector<Sentence>& sources, const std::vector<Sentence>& targets) {
  Batch batch;
  std::vector<Index> source_lengths;
  std::vector<Index> target_lengths;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    batch.context.ids.insert(batch.context.ids.end(), sources[i].begin(), sources[i].end());
    batch.context.ids.push_back(end_mark);
    batch.input.ids.push_back(begin_mark);
    batch.input.ids.insert(batch.input.ids.end(), targets[i].begin(), targets[i].end());
    batch.labels.ids.insert(batch.labels.ids.end(), targets[i].begin(), targets[i].end());
    batch.labels.ids.push_back(end_mark);
    source_lengths.push_back(static_cast<Index>(sources[i].size()) + 1);
    target_lengths.push_back(static_cast<Index>(targets[i].size()) + 1);
    batch.examples.push_back(static_cast<Index>(i));
  }
  batch.context.segments = segments_of(source_lengths);
  batch.input.segments = segments_of(target_lengths);
  return batch;
}

// Five pairs of unequal lengths; one source and one target are empty.
inline const std::vector<Sentence> tiny_sources{{3, 4, 5}, {6}, {}, {7, 8, 3, 3}, {4, 8}};
inline const std::vector<Sentence> tiny_targets{{5, 4}, {8, 8, 3}, {6}, {}, {7, 3, 5, 4}};
inline Batch tiny_batch() { return batch_of(tiny_sources, tiny_targets); }

inline Var logits_of(const Transformer& model, Pass& pass, const Batch& batch) {
  return model.logits(pass, model.hidden(pass, batch));
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
