// Cross-entropy compared with PyTorch, with and without label smoothing. Included by one test per
// precision. Fixture: scripts/make_pytorch_fixtures.py.
#pragma once

#include "core/ops/softmax.hpp"
#include "tests/support/pytorch.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

class PytorchCrossEntropy : public TestWithParam<double> {};

INSTANTIATE_TEST_SUITE_P(Smoothing, PytorchCrossEntropy, Values(0.0, 0.1),
                         [](const auto& test) { return test.param == 0 ? "sharp" : "smooth"; });

TEST_P(PytorchCrossEntropy, has_the_same_loss_and_gradient) {
  const Shape shape{22, 11};  // the sizes in the script
  const TensorFile file = pytorch_fixture("cross_entropy");
  std::vector<std::int64_t> ids(22);
  copy_values(file.entry("targets"), ids);
  const std::vector<TokenId> targets(ids.begin(), ids.end());
  std::vector<std::int64_t> correct(1);
  copy_values(file.entry("correct"), correct);

  Tape tape;
  const Var logits = tape.variable(tensor_of(file, "logits", shape));
  const CrossEntropy result = cross_entropy(logits, targets, static_cast<Scalar>(GetParam()));
  tape.backward(result.loss);
  const std::string name = GetParam() == 0 ? "sharp." : "smooth.";
  expect_near(result.loss.value().values(), tensor_of(file, name + "loss", {1}));
  expect_near(tape.gradient(logits).values(), tensor_of(file, name + "gradient", shape));
  const Tensor likelihood = Tensor::of({1}, {static_cast<Scalar>(result.negative_log_likelihood)});
  expect_near(likelihood.values(), tensor_of(file, "sharp.loss", {1}));
  EXPECT_EQ(result.correct, correct[0]);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
