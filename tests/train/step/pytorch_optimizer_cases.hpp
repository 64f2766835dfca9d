// Ten steps of each optimiser compared with PyTorch. Included by one test per precision. Fixture:
// scripts/make_pytorch_fixtures.py.
#pragma once

#include "tests/support/pytorch.hpp"
#include "tests/support/testing.hpp"
#include "train/step/optimizer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The numbers in the script.
constexpr Index pytorch_steps = 10;

struct PytorchOptimizerCase {
  std::string name;
  OptimizerKind kind;
  double weight_decay;
  std::string file = "optimizers";
  double largest_norm = 10;  // limit for clipped steps

  friend std::ostream& operator<<(std::ostream& out, const PytorchOptimizerCase& c) {
    return out << c.name;
  }
};

inline TrainingOptions training_options(const PytorchOptimizerCase& c) {
  TrainingOptions options;
  options.optimizer = c.kind;
  options.momentum = options.muon_momentum = 0.8;
  options.muon_rate = options.learning_rate;
  options.beta1 = 0.85;
  options.beta2 = 0.95;
  options.epsilon = 1e-4;
  options.weight_decay = c.weight_decay;
  return options;
}

// Muon's products amplify rounding errors, which accumulate over ten steps.
constexpr double share_of_steps = sizeof(Scalar) == sizeof(double) ? 1e-10 : 1e-5;

// The tensor "<name>" of one step; the file stacks all steps.
inline Tensor tensor_of_step(const TensorFile& file, const std::string& name, const Shape& shape,
                             Index step) {
  return tensor_of(file, name, {pytorch_steps, shape.size()}).part(step * shape.size(), shape);
}

class PytorchOptimizer : public TestWithParam<PytorchOptimizerCase> {
 protected:
  PytorchOptimizer() {
    const Scope root = store_.root();
    if (GetParam().kind == OptimizerKind::muon) {
      root.create("wide", ParameterKind::matrix, {5, 7}, Initializer::constant(0));
      root.create("tall", ParameterKind::matrix, {12, 4}, Initializer::constant(0));
    } else {
      root.create("matrix", ParameterKind::matrix, {5, 7}, Initializer::constant(0));
      root.create("table", ParameterKind::embedding, {13, 3}, Initializer::constant(0));
    }
    root.create("vector", ParameterKind::bias, {11}, Initializer::constant(0));
    load_parameters(store_, file_);
  }

  void expect_steps(const std::string& clipping, double clip_norm) {
    TrainingOptions options = training_options(GetParam());
    options.clip_norm = clip_norm;
    Optimizer optimizer(store_, options);
    ParameterGradients gradients(store_);
    for (Index step = 0; step < pytorch_steps; ++step) {
      SCOPED_TRACE("step " + std::to_string(step + 1));
      for (const NamedParameter& parameter : store_.parameters()) {
        const GradientSlot slot = gradients.slot(parameter.block);
        Tensor memory = slot.memory;
        const Tensor gradient =
            tensor_of_step(file_, "gradient." + parameter.name, parameter.shape, step);
        std::ranges::copy(gradient.values(), memory.values().begin());
        *slot.written = true;
      }
      const double rate = tensor_of_step(file_, "rates", {1}, step).data()[0];
      const std::array norm{static_cast<Scalar>(optimizer.step(workers_, {&gradients}, 1, rate))};
      expect_near(norm, tensor_of_step(file_, "norms", {1}, step));
      for (const NamedParameter& parameter : store_.parameters()) {
        SCOPED_TRACE(parameter.name);
        const std::string name = GetParam().name + "." + clipping + "." + parameter.name;
        expect_near(store_.value(parameter).values(),
                    tensor_of_step(file_, name, parameter.shape, step), share_of_steps);
      }
    }
  }

  const TensorFile file_ = pytorch_fixture(GetParam().file);
  ParameterStore store_;
  Workers workers_{1};
};

INSTANTIATE_TEST_SUITE_P(Kinds, PytorchOptimizer,
                         Values(PytorchOptimizerCase{"sgd", OptimizerKind::sgd, 0.1},
                                PytorchOptimizerCase{"adam", OptimizerKind::adam, 0},
                                PytorchOptimizerCase{"adam_decay", OptimizerKind::adam, 0.1},
                                PytorchOptimizerCase{"adamw", OptimizerKind::adamw, 0.1},
                                PytorchOptimizerCase{"muon", OptimizerKind::muon, 0.1, "muon",
                                                     1e5}),
                         [](const auto& test) { return test.param.name; });

TEST_P(PytorchOptimizer, takes_the_same_steps) { expect_steps("plain", 0); }

// At six of the ten steps the norm exceeds the limit.
TEST_P(PytorchOptimizer, takes_the_same_clipped_steps) {
  expect_steps("clipped", GetParam().largest_norm);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
