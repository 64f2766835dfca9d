// A tiny model with its trainer, and sentences to train on.
#pragma once

#include "core/random/draws.hpp"
#include "nn/transformer/transformer.hpp"
#include "tests/support/tiny_model.hpp"
#include "train/model_training.hpp"
#include "train/step/trainer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct TinyTrainer {
  TinyTrainer(const ModelOptions& model_options, const Trainer::Options& options, Index threads = 1,
              Ranks& ranks = alone())
      : model(model_options),
        workers(threads),
        trainer(model.store, {workers, ranks}, with_penalty(model.transformer, options)),
        loss([this](Pass& pass, const Batch& batch) {
          return batch_loss(model.transformer, pass, batch, {.label_smoothing = 0.1});
        }) {}
  TinyTrainer(const TinyTrainer&) = delete;
  TinyTrainer& operator=(const TinyTrainer&) = delete;

  StepStats step(const std::vector<Batch>& batches) { return trainer.step(batches, loss); }

  std::vector<Scalar> weights() const {
    const auto values = model.store.values().values();
    return {values.begin(), values.end()};
  }

  static Trainer::Options with_penalty(const Transformer& transformer, Trainer::Options options) {
    options.penalty = gate_penalty(transformer, options.training.gate_penalty);
    return options;
  }

  TinyModel model;
  Workers workers;
  Trainer trainer;
  LossFunction loss;
};

// `count` sentences of `shortest` to `longest` tokens from 3 to 8; `number` is the seed.
inline std::vector<Sentence> random_sentences(Index count, Index shortest, Index longest,
                                              std::uint64_t number) {
  const Draws draws(number, "tests.sentences", 0);
  std::vector<Sentence> sentences(static_cast<std::size_t>(count));
  std::uint64_t index = 0;
  for (Sentence& sentence : sentences) {
    const Index length = shortest + draw_below(draws, index++, longest - shortest + 1);
    sentence.resize(static_cast<std::size_t>(length));
    for (TokenId& token : sentence) {
      token = static_cast<TokenId>(3 + draw_below(draws, index++, tiny_vocabulary - 3));
    }
  }
  return sentences;
}

// A batch of the copy task: 12 sentences of 1 to 6 tokens.
inline Batch copy_batch(std::uint64_t number) {
  const std::vector<Sentence> sentences = random_sentences(12, 1, 6, number);
  return batch_of(sentences, sentences);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
