// Element-wise functions and matrices as ops, with a backward pass supplied by the test.
#pragma once

#include "core/gradcheck/gradcheck.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

using Function = std::function<double(double)>;

// y_i = f(x_i), with dL/dx_i = slope(x_i) dL/dy_i.
inline GradcheckFunction elementwise(const Function& f, const Function& slope) {
  return [f, slope](Tape& tape, const std::vector<Var>& inputs) {
    const Tensor x = inputs[0].value();
    Tensor y = Tensor::empty(x.shape());
    for (Index i = 0; i < x.size(); ++i) {
      y.data()[i] = f(x.data()[i]);
    }
    return tape.record("elementwise", inputs, std::move(y), [x, slope](Gradients& g) {
      Tensor dx = Tensor::empty(x.shape());
      for (Index i = 0; i < x.size(); ++i) {
        dx.data()[i] = slope(x.data()[i]) * g.output().data()[i];
      }
      g.add(0, std::move(dx));
    });
  };
}

// y = Jacobian x, with another Jacobian for the backward pass. Each Jacobian has a row per output.
using Matrix = std::vector<std::vector<double>>;

inline GradcheckFunction linear_map(const Matrix& forward, const Matrix& backward) {
  return [forward, backward](Tape& tape, const std::vector<Var>& inputs) {
    const Tensor x = inputs[0].value();
    Tensor y = Tensor::zeros({static_cast<Index>(forward.size())});
    for (std::size_t o = 0; o < forward.size(); ++o) {
      for (Index i = 0; i < x.size(); ++i) {
        y.data()[o] += forward[o][static_cast<std::size_t>(i)] * x.data()[i];
      }
    }
    return tape.record(
        "linear_map", inputs, std::move(y), [backward, shape = x.shape()](Gradients& g) {
          Tensor dx = Tensor::zeros(shape);
          for (std::size_t o = 0; o < backward.size(); ++o) {
            for (Index i = 0; i < dx.size(); ++i) {
              dx.data()[i] += backward[o][static_cast<std::size_t>(i)] * g.output().data()[o];
            }
          }
          g.add(0, std::move(dx));
        });
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
