// A copy task with a model small enough to remove every head in turn.
#pragma once

#include "datasets/loader.hpp"
#include "datasets/make_task.hpp"
#include "datasets/synthetic/symbols.hpp"
#include "nn/transformer/transformer.hpp"
#include "train/config/config.hpp"
#include "train/evaluation/evaluation.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct SmallCopy {
  static constexpr Index heads = 2;  // of each of the three attentions

  explicit SmallCopy(const AttentionSettings& attention = {}) : SmallCopy(options(attention)) {}
  explicit SmallCopy(Config of)
      : config(resolved(std::move(of))),
        task(make_task(config.task, {.seed = 1})),
        split(task.split("validation")),
        model(config, task.source_tokenizer->size(), task.target_tokenizer->size()) {}

  static Config options(const AttentionSettings& attention) {
    Config config;
    auto& symbols = config.task.as<SyntheticOptions>();
    symbols.vocabulary = 7;
    symbols.max_length = 5;
    symbols.train_examples = 30;
    symbols.validation_examples = 6;
    symbols.test_examples = 6;
    config.model.d_model = 8;
    config.model.heads = heads;
    config.model.layers = 1;
    config.model.attention = attention;
    config.model.dropout = 0.3;  // must not affect the measurements
    return config;
  }
  static Config resolved(Config config) {
    resolve(config);
    return config;
  }

  Tensor logits() const {
    const Batch batch = pack(*split.source, {0, 1, 2});
    Tape tape(false);
    Pass pass(tape, model.store);
    return model.transformer.logits(pass, model.transformer.hidden(pass, batch)).value();
  }

  // The mean loss per token of one example.
  double sentence_loss(Index example) const {
    const Batch batch = pack(*split.source, {example});
    Tape tape(false);
    Pass pass(tape, model.store);
    return batch_loss(model.transformer, pass, batch).loss.value().data()[0] /
           static_cast<double>(batch.labels.count());
  }
  double loss(Workers& workers) const {
    return evaluate(model, task, split, config.evaluation, 0, workers).loss();
  }

  Config config;
  Task task;
  const Split& split;
  Model model;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
