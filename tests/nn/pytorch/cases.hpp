// Whole transformers compared with PyTorch: the loss and the gradient of every parameter. Included
// by one test per precision. Fixtures: scripts/make_pytorch_fixtures.py.
#pragma once

#include "nn/transformer/transformer.hpp"
#include "tests/support/pytorch.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct PytorchCase {
  std::string name;
  NormPosition norm_position;
  Activation activation;
};

inline std::ostream& operator<<(std::ostream& out, const PytorchCase& c) { return out << c.name; }

// The sizes in the script.
inline ModelOptions options_of(const PytorchCase& c) {
  ModelOptions options;
  options.d_model = 12;
  options.heads = 3;
  options.d_ff = 20;
  options.layers = 2;
  options.dropout = 0;
  options.norm_position = c.norm_position;
  options.activation = c.activation;
  return options;
}

class Pytorch : public TestWithParam<PytorchCase> {};

inline std::string case_name(const TestParamInfo<PytorchCase>& test) { return test.param.name; }

INSTANTIATE_TEST_SUITE_P(Norms, Pytorch,
                         Values(PytorchCase{"post_norm", NormPosition::post, Activation::relu},
                                PytorchCase{"pre_norm", NormPosition::pre, Activation::gelu}),
                         case_name);

TEST_P(Pytorch, has_the_same_loss_and_gradients) {
  const TensorFile file = pytorch_fixture(GetParam().name);
  ParameterStore store;
  const Transformer transformer(store.root(), options_of(GetParam()), 11, 13);
  load_parameters(store, file);
  // The file holds one loss, and each parameter with its gradient; all are compared.
  ASSERT_EQ(file.entries().size(), 1 + 2 * store.parameters().size());

  const Batch batch =
      batch_of({{3, 4, 5, 9}, {6}, {8, 10, 3, 3, 5, 7, 4}}, {{7, 12, 3}, {4, 4, 10, 3, 5}, {11}});
  Tape tape;
  ParameterGradients gradients(store);
  Pass pass(tape, store, gradients, 1, 1);
  const CrossEntropy result = batch_loss(transformer, pass, batch, {.label_smoothing = 0.1});
  tape.backward(result.loss);
  expect_near(result.loss.value().values(), tensor_of(file, "loss", {1}));
  expect_parameter_gradients(store, gradients, file);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
