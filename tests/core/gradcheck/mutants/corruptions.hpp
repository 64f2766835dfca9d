// Mutations of the numbers in one gradient.
#pragma once

#include "tests/core/gradcheck/mutants/mutation.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Corrupts the gradient of one input in place; does nothing if the corruption does not apply.
using Corruption = std::function<void(BackwardPass&, std::size_t input)>;

inline Mutation corruption(std::string what, WrongKind kind, const Corruption& corrupt) {
  return {.what = std::move(what),
          .expected = {.kinds = {kind}},
          .plant = [corrupt](const Specimen& specimen,
                             std::size_t input) -> std::optional<GradcheckFunction> {
            BackwardPass trial = backward_pass(specimen.function, specimen.inputs, specimen.dy);
            corrupt(trial, input);
            if (!differ(trial.gradients[input], specimen.gradients[input])) {
              return {};
            }
            return with_gradients(specimen.function, [corrupt, input](BackwardPass& pass) {
              if (pass.gradients[input].size() > 2) {  // not in probes with fewer rows
                corrupt(pass, input);
              }
            });
          }};
}

inline Corruption times(const std::function<Scalar(const Shape&)>& factor) {
  return [factor](BackwardPass& pass, std::size_t input) {
    const Scalar by = factor(pass.inputs[input].shape());
    for (Scalar& number : pass.gradients[input].values()) {
      number *= by;
    }
  };
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

inline void clear_row(BackwardPass& pass, std::size_t input) {
  Tensor& gradient = pass.gradients[input];
  std::vector<Line> rows;
  for (Index i = 0; gradient.shape().rank() == 2 && i < gradient.dim(0); ++i) {
    rows.push_back({.first = i * gradient.dim(1), .step = 1, .count = gradient.dim(1)});
  }
  clear_one(gradient, rows);
}

inline void clear_column(BackwardPass& pass, std::size_t input) {
  Tensor& gradient = pass.gradients[input];
  std::vector<Line> columns;
  for (Index i = 0; gradient.shape().rank() == 2 && i < gradient.dim(1); ++i) {
    columns.push_back({.first = i, .step = gradient.dim(1), .count = gradient.dim(0)});
  }
  clear_one(gradient, columns);
}

inline void clear_rest(BackwardPass& pass, std::size_t input) {
  Tensor& gradient = pass.gradients[input];
  clear_one(gradient, {{.first = gradient.size() - 3, .step = 1, .count = 3}});
}

inline void turn_rows(BackwardPass& pass, std::size_t input) {
  Tensor& gradient = pass.gradients[input];
  if (gradient.shape().rank() == 2) {
    std::ranges::rotate(gradient.values(), gradient.values().begin() + gradient.dim(1));
  }
}

inline void transpose_layout(BackwardPass& pass, std::size_t input) {
  Tensor& gradient = pass.gradients[input];
  if (gradient.shape().rank() == 2) {
    const Tensor right = gradient.copy();
    const Index rows = right.dim(0);
    for (Index i = 0; i < right.size(); ++i) {
      gradient.data()[i] = right.row(i % rows)[i / rows];
    }
  }
}

inline void change_element(BackwardPass& pass, std::size_t input) {
  Tensor& gradient = pass.gradients[input];
  gradient.data()[gradient.size() / 2] += 0.25;
}

// Adds the gradient of weight decay.
inline void add_decay(BackwardPass& pass, std::size_t input) {
  for (Index i = 0; i < pass.inputs[input].size(); ++i) {
    pass.gradients[input].data()[i] += Scalar(0.1) * pass.inputs[input].data()[i];
  }
}

inline void fill_nothing(BackwardPass& pass, std::size_t input) {
  Tensor& gradient = pass.gradients[input];
  if (std::ranges::count_if(gradient.values(), is_nothing) > 1) {
    std::ranges::replace_if(gradient.values(), is_nothing, Scalar(0.5));
  }
}

inline void ignore_cotangent(BackwardPass& pass, std::size_t input) {
  const Tensor ones = Tensor::full(pass.dy.shape(), 1);
  pass.gradients[input] = gradients_of(pass.function, pass.inputs, ones)[input];
}

// The part of the gradient that comes from the output's last row.
inline void keep_last_share(BackwardPass& pass, std::size_t input) {
  Tensor dy = Tensor::zeros(pass.dy.shape());
  const Index before = dy.size() - dy.size() / dy.dim(0);
  std::ranges::copy(pass.dy.values().subspan(static_cast<std::size_t>(before)), dy.data() + before);
  pass.gradients[input] = gradients_of(pass.function, pass.inputs, dy)[input];
}

inline Mutation share_of_one_row() {
  Mutation mutation = corruption("the share of the output's last row alone", WrongKind::not_summed,
                                 keep_last_share);
  const auto plant = mutation.plant;
  mutation.plant = [plant](const Specimen& specimen, std::size_t input) {
    return specimen.subject.inputs[input].shared ? plant(specimen, input) : std::nullopt;
  };
  return mutation;
}

inline std::vector<Mutation> corruptions() {
  const auto number = [](Scalar factor) {
    return times([factor](const Shape&) { return factor; });
  };
  const auto over_rows =
      times([](const Shape& shape) { return 1 / static_cast<Scalar>(shape[0]); });
  return {
      corruption("the negative", WrongKind::sign, number(-1)),
      corruption("twice", WrongKind::factor, number(2)),
      corruption("a ten-thousandth too much", WrongKind::factor, number(1.0001)),
      corruption("divided by the input's first extent", WrongKind::factor, over_rows),
      corruption("all zeros", WrongKind::no_gradient, number(0)),
      corruption("the right numbers, laid out as of the transposed shape", WrongKind::transposed,
                 transpose_layout),
      corruption("0.25 too much in one element", WrongKind::one_element, change_element),
      corruption("zeros in one row", WrongKind::some_rows, clear_row),
      corruption("zeros in the last three elements", WrongKind::some_rows, clear_rest),
      corruption("zeros in one column", WrongKind::some_columns, clear_column),
      corruption("each row holds the next one's numbers", WrongKind::rows_exchanged, turn_rows),
      corruption("0.5 in all elements that should be zero", WrongKind::too_many, fill_nothing),
      share_of_one_row(),
      corruption("as for a cotangent of ones", WrongKind::cotangent_ignored, ignore_cotangent),
      corruption("0.1 x added", WrongKind::term, add_decay),
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
