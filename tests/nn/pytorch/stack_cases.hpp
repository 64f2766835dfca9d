// One-stack models compared with PyTorch: the loss and the gradient of every parameter. Included by
// one test per precision. Fixtures: scripts/make_pytorch_fixtures.py.
#pragma once

#include "nn/transformer/transformer.hpp"
#include "tests/nn/pytorch/cases.hpp"
#include "tests/support/stack_batches.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The sizes and sequences in the script.
inline const std::vector<Sentence> pytorch_sequences{{3, 4, 5, 9}, {6, 12}, {8, 10, 3, 3, 5, 7, 4}};

inline void expect_stack_as_pytorch(const std::string& name, const ModelOptions& options,
                                    Index labels, const Batch& batch) {
  const TensorFile file = pytorch_fixture(name);
  ParameterStore store;
  const Transformer transformer(store.root(), options,
                                {.context = 0, .input = 13, .labels = labels});
  load_parameters(store, file);
  ASSERT_EQ(file.entries().size(), 1 + 2 * store.parameters().size());
  Tape tape;
  ParameterGradients gradients(store);
  Pass pass(tape, store, gradients, 1, 1);
  const CrossEntropy result = batch_loss(transformer, pass, batch);
  tape.backward(result.loss);
  expect_near(result.loss.value().values(), tensor_of(file, "loss", {1}));
  expect_parameter_gradients(store, gradients, file);
}

inline ModelOptions pytorch_stack_options(Family family) {
  return of_family(options_of({"pre_norm", NormPosition::pre, Activation::gelu}), family);
}

TEST(PytorchStack, of_a_decoder_has_the_same_loss_and_gradients) {
  expect_stack_as_pytorch("decoder_stack", pytorch_stack_options(Family::decoder), 13,
                          next_token_batch(pytorch_sequences));
}

TEST(PytorchStack, of_an_encoder_has_the_same_loss_and_gradients) {
  expect_stack_as_pytorch("encoder_stack", pytorch_stack_options(Family::encoder), 5,
                          first_row_batch(pytorch_sequences, 5));
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
