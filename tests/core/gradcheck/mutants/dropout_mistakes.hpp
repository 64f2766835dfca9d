// Mistakes in the backward passes of ops with dropout.
#pragma once

#include "tests/core/gradcheck/mutants/mistake.hpp"
#include "tests/core/gradcheck/mutants/row_subjects.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The gradients of the op with another dropout, times a factor.
template <class Op>
Spoil dropped_as(const Op& op, const Dropout& dropout, Scalar factor = 1) {
  return as_of([op, dropout, factor](const Vars& x) { return scale(op(x, dropout), factor); });
}

inline Dropout another_dropout() { return subject_dropout(mutant_seed + 1); }

inline std::vector<Mistake> dropout_mistakes() {
  using enum WrongKind;
  const Dropout off{};
  const Dropout same = subject_dropout(mutant_seed);
  const auto kept = static_cast<Scalar>(1 / same.scale());
  const auto once = static_cast<Scalar>(same.scale());
  const auto relu = [](const Vars& x, const Dropout& d) {
    return bias_activation(x[0], x[1], Activation::relu, d);
  };
  const auto plain = [](const Vars& x, const Dropout& d) {
    return d.active() ? dropout(x[0], d) : scale(x[0], 1);
  };
  return {
      {"dropout", {0}, "1 / (1 - p) left out", {factor}, dropped_as(plain, same, kept)},
      {"dropout", {0}, "1 - p for 1 / (1 - p)", {factor}, dropped_as(plain, same, kept * kept)},
      {"dropout", {0}, "the mask left out", {too_many}, dropped_as(plain, off, once)},
      {"dropout", {0}, "no dropout", {term}, dropped_as(plain, off)},
      {"dropout", {0}, "another mask", {term}, dropped_as(plain, another_dropout())},
      {"bias_activation, relu, dropout",
       {0, 1},
       "1 / (1 - p) left out",
       {factor},
       dropped_as(relu, same, kept)},
      {"bias_activation, relu, dropout",
       {0},
       "the mask left out",
       {too_many},
       dropped_as(relu, off, once)},
      {"bias_activation, relu, dropout",
       {1},
       "the mask left out",
       {term, some_rows},
       dropped_as(relu, off, once)},
      {"bias_activation, gelu, dropout",
       {0, 1},
       "another mask",
       {term},
       dropped_as([](const Vars& x,
                     const Dropout& d) { return bias_activation(x[0], x[1], Activation::gelu, d); },
                  another_dropout())},
  };
}

inline std::vector<Mistake> residual_mistakes() {
  using enum WrongKind;
  const Dropout off{};
  const Dropout same = subject_dropout(mutant_seed);
  const auto kept = static_cast<Scalar>(1 / same.scale());
  const auto once = static_cast<Scalar>(same.scale());
  const auto sum = [](const Vars& x, const Dropout& d) { return residual(x[0], x[1], x[2], d); };
  return {
      {"residual", {2}, "the last row is left out of the sum", {term}, forget_last_row},
      {"residual, dropout",
       {0},
       "dropped as f is",
       {term},
       [](BackwardPass& pass) { pass.gradients[0] = pass.gradients[1]; }},
      {"residual, dropout", {1}, "the mask left out", {too_many}, dropped_as(sum, off, once)},
      {"residual, dropout", {1}, "no dropout", {term}, dropped_as(sum, off)},
      {"residual, dropout", {2}, "no dropout", {term}, dropped_as(sum, off)},
      {"residual, dropout",
       {1, 2},
       "another mask",
       {term, some_rows},
       dropped_as(sum, another_dropout())},
      {"residual, dropout", {1, 2}, "1 / (1 - p) left out", {factor}, dropped_as(sum, same, kept)},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
