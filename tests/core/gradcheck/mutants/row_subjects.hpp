// Gradient check subjects: the fused ops that work row by row.
#pragma once

#include "core/ops/activation.hpp"
#include "core/ops/residual.hpp"
#include "core/ops/softmax.hpp"
#include "tests/core/gradcheck/mutants/op_subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Keeps x + bias at least 0.05 away from 0, the kink of relu.
inline void keep_from_kink(std::vector<Tensor>& inputs) {
  Tensor& x = inputs[0];
  const Tensor& bias = inputs[1];
  for (Index i = 0; i < x.size(); ++i) {
    const Scalar sum = x.data()[i] + bias.data()[i % bias.size()];
    if (std::abs(sum) < 0.05) {
      x.data()[i] += std::copysign(Scalar(0.1), sum);
    }
  }
}

inline OpSubject activation_subject(Activation activation, bool dropped) {
  const Shape shape = dropped ? Shape{4, 6} : Shape{3, 5};
  const auto name = EnumNames<Activation>::names[static_cast<std::size_t>(activation)];
  return {.name = fmt::format("bias_activation, {}{}", name, dropped ? ", dropout" : ""),
          .inputs = {{"x", shape}, {"bias", {shape[1]}, true}},
          .function =
              [activation, dropped](std::uint64_t seed) {
                const Dropout drop = dropped ? subject_dropout(seed) : Dropout();
                return [activation, drop](Tape&, const std::vector<Var>& x) {
                  return bias_activation(x[0], x[1], activation, drop);
                };
              },
          .adjust = keep_from_kink};
}

inline std::vector<OpSubject> activation_subjects() {
  return {activation_subject(Activation::relu, false), activation_subject(Activation::gelu, false),
          activation_subject(Activation::silu, false), activation_subject(Activation::tanh, false),
          activation_subject(Activation::relu, true),  activation_subject(Activation::gelu, true)};
}

inline OpSubject gated_subject(Activation activation, bool dropped) {
  const auto name = EnumNames<Activation>::names[static_cast<std::size_t>(activation)];
  return {.name = fmt::format("gated_activation, {}{}", name, dropped ? ", dropout" : ""),
          .inputs = {{"x", {4, 6}}, {"bias", {6}, true}},
          .function =
              [activation, dropped](std::uint64_t seed) {
                const Dropout drop = dropped ? subject_dropout(seed) : Dropout();
                return [activation, drop](Tape&, const std::vector<Var>& x) {
                  return gated_activation(x[0], x[1], activation, drop);
                };
              },
          .adjust = keep_from_kink};
}

inline std::vector<OpSubject> gated_subjects() {
  return {gated_subject(Activation::relu, false), gated_subject(Activation::silu, false),
          gated_subject(Activation::silu, true)};
}

inline std::vector<OpSubject> normalising_subjects() {
  const auto centred = [](const Var& x, const Var& gain, const Var& bias) {
    return layer_norm(x, gain, bias);
  };
  const auto plain = [](const Var& x, const Var& gain) { return rms_norm(x, gain); };
  return {
      {.name = "softmax", .inputs = {{"x", {3, 4}}}, .function = of_vars<1>(softmax)},
      {.name = "log_softmax", .inputs = {{"x", {3, 4}}}, .function = of_vars<1>(log_softmax)},
      {.name = "layer_norm",
       .inputs = {{"x", {3, 5}}, {"gain", {5}, true}, {"bias", {5}, true}},
       .function = of_vars<3>(centred)},
      {.name = "rms_norm",
       .inputs = {{"x", {3, 5}}, {"gain", {5}, true}},
       .function = of_vars<2>(plain)},
  };
}

inline std::vector<OpSubject> dropout_subjects() {
  const std::vector<OpInput> sum{{"x", {3, 4}}, {"f", {3, 4}}, {"bias", {4}, true}};
  return {
      {.name = "dropout",
       .inputs = {{"x", {4, 5}}},
       .function =
           [](std::uint64_t seed) {
             return [drop = subject_dropout(seed)](Tape&, const std::vector<Var>& x) {
               return dropout(x[0], drop);
             };
           }},
      {.name = "residual",
       .inputs = sum,
       .function =
           of_vars<3>([](const Var& x, const Var& f, const Var& b) { return residual(x, f, b); })},
      {.name = "residual, dropout",
       .inputs = sum,
       .function =
           [](std::uint64_t seed) {
             return [drop = subject_dropout(seed)](Tape&, const std::vector<Var>& x) {
               return residual(x[0], x[1], x[2], drop);
             };
           }},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
