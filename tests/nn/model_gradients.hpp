// Compares a model's gradients with differences of its loss.
#pragma once

#include "core/gradcheck/model/model.hpp"
#include "core/ops/arithmetic.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"
#include "train/model_training.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The loss has label smoothing and, if heads have gates, their penalty.
inline void expect_gradients(TinyModel& model, const Batch& batch) {
  const PenaltyFunction penalty = gate_penalty(model.transformer, 0.3);
  const ModelGradcheckReport report =
      gradcheck_model(model.store, [&](Tape& tape, ParameterGradients& gradients) {
        Pass pass(tape, model.store, gradients, 11, 3);
        const Var loss = batch_loss(model.transformer, pass, batch, {.label_smoothing = 0.1}).loss;
        return penalty ? add(loss, penalty(pass)) : loss;
      });
  EXPECT_TRUE(report.ok()) << report.message();
}

// Of a model whose biases and gains are moved away from their initial values.
inline void expect_gradients(const ModelOptions& options, const Batch& batch,
                             Index source_vocabulary = tiny_vocabulary) {
  TinyModel model(options, 1, source_vocabulary);
  model.shake(0.2);
  expect_gradients(model, batch);
}

inline std::span<const Scalar> gradient_of(const ParameterStore& store,
                                           const ParameterGradients& gradients,
                                           const NamedParameter& parameter) {
  EXPECT_TRUE(gradients.written(parameter.block)) << parameter.name;
  return {gradients.data(parameter.block) + parameter.offset - store.block_begin(parameter.block),
          static_cast<std::size_t>(parameter.shape.size())};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
