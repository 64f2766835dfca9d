// Gradient check subjects: the fused ops that work row by row.
#pragma once

#include "core/ops/activation.hpp"
#include "core/ops/residual.hpp"
#include "core/ops/softmax.hpp"
#include "tests/core/gradcheck/mutants/op_subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Keeps x + bias at least 0.05 away from 0, the kink of relu.
inline void keep_from_kink(Tensors& inputs) {
  Tensor& x = inputs[0];
  const Tensor& bias = inputs[1];
  for (Index i = 0; i < x.size(); ++i) {
    const Scalar sum = x.data()[i] + bias.data()[i % bias.size()];
    if (std::abs(sum) < 0.05) {
      x.data()[i] += std::copysign(Scalar(0.1), sum);
    }
  }
}

// `op` is bias_activation or gated_activation.
template <class Op>
OpSubject activation_subject(const std::string& name, const Op& op, Activation activation,
                             const Shape& shape, bool dropped) {
  const auto kind = EnumNames<Activation>::names[static_cast<std::size_t>(activation)];
  const auto activated = [op, activation](const Vars& x, const Dropout& dropout) {
    return op(x[0], x[1], activation, dropout);
  };
  return {fmt::format("{}, {}{}", name, kind, dropped ? ", dropout" : ""),
          {{"x", shape}, {"bias", {shape[1]}, true}},
          with_dropout(activated, dropped ? 0.4 : 0),
          keep_from_kink};
}

inline std::vector<OpSubject> activation_subjects() {
  const auto subject = [](Activation activation, bool dropped) {
    const Shape shape = dropped ? Shape{4, 6} : Shape{3, 5};
    return activation_subject("bias_activation", bias_activation, activation, shape, dropped);
  };
  return {subject(Activation::relu, false), subject(Activation::gelu, false),
          subject(Activation::silu, false), subject(Activation::tanh, false),
          subject(Activation::relu, true),  subject(Activation::gelu, true)};
}

inline std::vector<OpSubject> gated_subjects() {
  const auto subject = [](Activation activation, bool dropped) {
    return activation_subject("gated_activation", gated_activation, activation, {4, 6}, dropped);
  };
  return {subject(Activation::relu, false), subject(Activation::silu, false),
          subject(Activation::silu, true)};
}

inline std::vector<OpSubject> normalising_subjects() {
  const OpInput x{"x", {3, 5}};
  const OpInput gain{"gain", {5}, true};
  return {
      {"softmax", {{"x", {3, 4}}}, of_vars<1>(softmax)},
      {"log_softmax", {{"x", {3, 4}}}, of_vars<1>(log_softmax)},
      {"layer_norm", {x, gain, {"bias", {5}, true}}, of_vars<3>([](const auto&... inputs) {
         return layer_norm(inputs...);
       })},
      {"rms_norm", {x, gain}, of_vars<2>([](const auto&... inputs) {
         return rms_norm(inputs...);
       })},
  };
}

inline std::vector<OpSubject> dropout_subjects() {
  const std::vector<OpInput> sum{{"x", {3, 4}}, {"f", {3, 4}}, {"bias", {4}, true}};
  const DroppedOp added = [](const Vars& x, const Dropout& drop) {
    return residual(x[0], x[1], x[2], drop);
  };
  return {
      {"dropout", {{"x", {4, 5}}}, with_dropout([](const Vars& x, const Dropout& drop) {
         return dropout(x[0], drop);
       })},
      {"residual", sum, with_dropout(added, 0)},
      {"residual, dropout", sum, with_dropout(added)},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
