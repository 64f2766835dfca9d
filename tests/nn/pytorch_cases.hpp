// Whole transformers against PyTorch's: the loss and the gradient of every parameter. Included by a
// test for each precision. The fixtures come from scripts/make_pytorch_fixtures.py.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "core/tensor_file.hpp"
#include "tests/support/tiny_model.hpp"
#include "train/loss.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct PytorchCase {
  std::string name;
  NormPosition norm_position;
  Activation activation;
};

inline std::ostream& operator<<(std::ostream& out, const PytorchCase& c) { return out << c.name; }

// The sizes of the script.
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

inline Tensor tensor_of(const TensorFile& file, const std::string& name, const Shape& shape) {
  Tensor values = Tensor::empty(shape);
  copy_values(file.entry(name), values.values());
  return values;
}

inline double largest_of(const Tensor& tensor) {
  double largest = 0;
  for (const Scalar value : tensor.values()) {
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  return largest;
}

// No element further away than this share of the tensor's largest.
inline void expect_near(std::span<const Scalar> found, const Tensor& expected, double share) {
  const double largest = largest_of(expected);
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected.values()[i], share * largest) << "element " << i;
  }
}

class Pytorch : public ::testing::TestWithParam<PytorchCase> {};

inline std::string case_name(const ::testing::TestParamInfo<PytorchCase>& test) {
  return test.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Norms, Pytorch,
    ::testing::Values(PytorchCase{"post_norm", NormPosition::post, Activation::relu},
                      PytorchCase{"pre_norm", NormPosition::pre, Activation::gelu}),
    case_name);

TEST_P(Pytorch, HasTheSameLossAndGradients) {
  constexpr double share = sizeof(Scalar) == sizeof(double) ? 1e-10 : 1e-5;
  const TensorFile file(TAPEHEAD_FIXTURES "/pytorch/" + GetParam().name + ".safetensors",
                        Trust::any);
  ParameterStore store;
  const Transformer transformer(store.root(), options_of(GetParam()), 11, 13);
  store.initialize(1);
  for (const NamedParameter& parameter : store.parameters()) {
    Tensor values = store.value(parameter);
    copy_values(file.entry("parameter." + parameter.name), values.values());
  }
  // One loss, and each parameter with its gradient: none is left out.
  ASSERT_EQ(file.entries().size(), 1 + 2 * store.parameters().size());

  const Batch batch =
      batch_of({{3, 4, 5, 9}, {6}, {8, 10, 3, 3, 5, 7, 4}}, {{7, 12, 3}, {4, 4, 10, 3, 5}, {11}});
  Tape tape;
  ParameterGradients gradients(store);
  Pass pass(tape, store, gradients, 1, 1);
  const CrossEntropy result = translation_loss(transformer, pass, batch, 0.1);
  tape.backward(result.loss);
  expect_near(result.loss.value().values(), tensor_of(file, "loss", {1}), share);
  for (const NamedParameter& parameter : store.parameters()) {
    SCOPED_TRACE(parameter.name);
    const Scalar* gradient =
        gradients.data(parameter.block) + parameter.offset - store.block_begin(parameter.block);
    const std::span found(gradient, static_cast<std::size_t>(parameter.shape.size()));
    const Tensor expected = tensor_of(file, "gradient." + parameter.name, parameter.shape);
    if (parameter.name.ends_with("key.bias")) {  // adds the same to all scores of a query
      EXPECT_LT(largest_of(expected), 1e-15);
      EXPECT_LT(largest_of(Tensor::of(parameter.shape, found)), share);
    } else {
      expect_near(found, expected, share);
    }
  }
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
