// Mutations of the numbers in one gradient.
#pragma once

#include "tests/core/gradcheck/mutants/mutant.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Corrupts the gradient of one input in place; does nothing if the corruption does not apply.
using Corruption = std::function<void(BackwardPass&, std::size_t input)>;
using CorruptNumbers = std::function<void(Tensor& gradient)>;

inline Mutation corruption(std::string what, WrongKind kind, const Corruption& corrupt) {
  const Plant plant = [corrupt](const Specimen& specimen,
                                std::size_t input) -> std::optional<GradcheckFunction> {
    BackwardPass trial{specimen.function, specimen.inputs, specimen.dy.copy(),
                       copies_of(specimen.gradients)};
    corrupt(trial, input);
    // Whether they differ by more than any tolerance allows.
    const auto alike = [](Scalar a, Scalar b) {
      return std::abs(a - b) <= 1e-5 * std::max(std::abs(a), std::abs(b)) + 1e-6;
    };
    if (std::ranges::equal(trial.gradients[input].values(), specimen.gradients[input].values(),
                           alike)) {
      return {};
    }
    return with_gradients(specimen.function, [corrupt, input](BackwardPass& pass) {
      if (pass.gradients[input].size() > 2) {  // not in probes with fewer rows
        corrupt(pass, input);
      }
    });
  };
  return {std::move(what), {.kinds = {kind}}, plant};
}

inline Mutation corrupt_numbers(std::string what, WrongKind kind, const CorruptNumbers& corrupt) {
  return corruption(std::move(what), kind, [corrupt](BackwardPass& pass, std::size_t input) {
    corrupt(pass.gradients[input]);
  });
}

inline bool is_nothing(Scalar number) { return std::abs(number) < 1e-9; }

// Elements first, first + step, ... of a gradient.
struct Line {
  Index first;
  Index step;
  Index count;
};

inline Index not_nothing(const Tensor& gradient, const Line& line) {
  Index result = 0;
  for (Index i = 0; i < line.count; ++i) {
    result += is_nothing(gradient.data()[line.first + i * line.step]) ? 0 : 1;
  }
  return result;
}

// Clears the first line with at least two nonzero numbers, if nonzero numbers remain elsewhere.
inline void clear_one(Tensor& gradient, const std::vector<Line>& lines) {
  const Index all = not_nothing(gradient, {.first = 0, .step = 1, .count = gradient.size()});
  for (const Line& line : lines) {
    const Index here = not_nothing(gradient, line);
    if (here > 1 && here < all) {
      for (Index i = 0; i < line.count; ++i) {
        gradient.data()[line.first + i * line.step] = 0;
      }
      return;
    }
  }
}

inline void clear_row(Tensor& gradient) {
  std::vector<Line> rows;
  for (Index i = 0; gradient.shape().rank() == 2 && i < gradient.dim(0); ++i) {
    rows.push_back({.first = i * gradient.dim(1), .step = 1, .count = gradient.dim(1)});
  }
  clear_one(gradient, rows);
}

inline void clear_column(Tensor& gradient) {
  std::vector<Line> columns;
  for (Index i = 0; gradient.shape().rank() == 2 && i < gradient.dim(1); ++i) {
    columns.push_back({.first = i, .step = gradient.dim(1), .count = gradient.dim(0)});
  }
  clear_one(gradient, columns);
}

inline void clear_rest(Tensor& gradient) {
  clear_one(gradient, {{.first = gradient.size() - 3, .step = 1, .count = 3}});
}

inline void turn_rows(Tensor& gradient) {
  if (gradient.shape().rank() == 2) {
    std::ranges::rotate(gradient.values(), gradient.values().begin() + gradient.dim(1));
  }
}

inline void transpose_layout(Tensor& gradient) {
  if (gradient.shape().rank() == 2) {
    const Tensor right = gradient.copy();
    const Index rows = right.dim(0);
    for (Index i = 0; i < right.size(); ++i) {
      gradient.data()[i] = right.row(i % rows)[i / rows];
    }
  }
}

inline void fill_nothing(Tensor& gradient) {
  if (std::ranges::count_if(gradient.values(), is_nothing) > 1) {
    std::ranges::replace_if(gradient.values(), is_nothing, Scalar(0.5));
  }
}

inline std::vector<Mutation> corruptions() {
  using enum WrongKind;
  const auto times = [](Scalar by) {
    return [by](Tensor& gradient) { multiply_by(gradient, by); };
  };
  const auto over_rows = [](Tensor& gradient) {
    multiply_by(gradient, 1 / static_cast<Scalar>(gradient.shape()[0]));
  };
  const auto change_element = [](Tensor& gradient) {
    gradient.data()[gradient.size() / 2] += 0.25;
  };
  // The gradient for another cotangent.
  const auto for_cotangent = [](BackwardPass& pass, std::size_t input, const Tensor& dy) {
    pass.gradients[input] = gradients_of(pass.function, pass.inputs, dy)[input];
  };
  const auto of_ones = [for_cotangent](BackwardPass& pass, std::size_t input) {
    for_cotangent(pass, input, Tensor::full(pass.dy.shape(), 1));
  };
  const auto of_last_row = [for_cotangent](BackwardPass& pass, std::size_t input) {
    Tensor dy = pass.dy.copy();
    std::fill_n(dy.data(), dy.size() - dy.size() / dy.dim(0), Scalar{0});
    for_cotangent(pass, input, dy);
  };
  const auto add_decay = [](BackwardPass& pass, std::size_t input) {
    for (Index i = 0; i < pass.inputs[input].size(); ++i) {
      pass.gradients[input].data()[i] += Scalar(0.1) * pass.inputs[input].data()[i];
    }
  };
  Mutation share = corruption("the share of the output's last row alone", not_summed, of_last_row);
  share.plant = planted_if([](const Specimen& specimen,
                              std::size_t input) { return specimen.subject.inputs[input].shared; },
                           share.plant);
  return {
      corrupt_numbers("the negative", sign, times(-1)),
      corrupt_numbers("twice", factor, times(2)),
      corrupt_numbers("a ten-thousandth too much", factor, times(1.0001)),
      corrupt_numbers("divided by the input's first extent", factor, over_rows),
      corrupt_numbers("all zeros", no_gradient, times(0)),
      corrupt_numbers("the right numbers, laid out as of the transposed shape", transposed,
                      transpose_layout),
      corrupt_numbers("0.25 too much in one element", one_element, change_element),
      corrupt_numbers("zeros in one row", some_rows, clear_row),
      corrupt_numbers("zeros in the last three elements", some_rows, clear_rest),
      corrupt_numbers("zeros in one column", some_columns, clear_column),
      corrupt_numbers("each row holds the next one's numbers", rows_exchanged, turn_rows),
      corrupt_numbers("0.5 in all elements that should be zero", too_many, fill_nothing),
      share,
      corruption("as for a cotangent of ones", cotangent_ignored, of_ones),
      corruption("0.1 x added", term, add_decay),
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
