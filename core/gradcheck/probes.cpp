#include "core/gradcheck/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The subject with other inputs, if the function has a finite value there; otherwise nothing.
// `inputs` must outlive it.
std::optional<Subject> with_inputs(const Subject& subject, const std::vector<Tensor>& inputs,
                                   std::string probe) {
  try {
    const Tensor output = value_of(subject.function, inputs);
    if (first_not_finite(output) >= 0) {
      return {};
    }
    Subject result = subject.with(inputs);
    result.cotangent = uneven(output.shape(), subject.options.seed + 1);
    result.probe = std::move(probe);
    return result;
  } catch (const std::exception&) {
    return {};
  }
}

// Whether a gradient is not finite although its slope is. If the output divided by the input nearly
// overflows, the slope may overflow too.
bool is_not_finite(Scalar gradient, Scalar x, const Tensor& output) {
  constexpr double near_overflow = 1e300;
  const bool overflows =
      std::isinf(gradient) && x != 0 && magnitude(output) / std::abs(x) > near_overflow;
  return !std::isfinite(gradient) && !overflows;
}

std::optional<Finding> check_finite(const Subject& subject, const Run& run) {
  for (std::size_t k = 0; k < subject.inputs.size(); ++k) {
    const Tensor& gradient = run.gradients[k];
    for (Index i = 0; i < gradient.size(); ++i) {
      if (is_not_finite(gradient.data()[i], subject.inputs[k].data()[i], run.forward)) {
        return subject.found(
            Verdict::not_finite, k, i,
            fmt::format("the gradient is {} where the output is finite: a quotient or an "
                        "exponential that the forward pass guards?",
                        gradient.data()[i]));
      }
    }
  }
  return {};
}

std::optional<Finding> check_run(const Subject& subject, const std::vector<Tensor>& inputs,
                                 std::string probe) {
  const std::optional<Subject> probed = with_inputs(subject, inputs, std::move(probe));
  if (!probed) {
    return {};
  }
  try {
    const Run result = run(*probed);
    if (auto finding = check_finite(*probed, result)) {
      return finding;
    }
    return check_directions(*probed, result);
  } catch (...) {
    return probed->thrown();
  }
}

// Every matrix that has as many rows as the first input, with another number of rows: the first
// ones, and then the same numbers again, each time a little larger.
std::vector<Tensor> with_rows(const std::vector<Tensor>& inputs, Index rows) {
  constexpr double larger = 1.0 / 16;
  const Index all = inputs.front().dim(0);
  std::vector<Tensor> result = copies(inputs);
  for (Tensor& input : result) {
    if (input.shape().rank() != 2 || input.dim(0) != all) {
      continue;
    }
    Tensor other = Tensor::empty({rows, input.dim(1)});
    for (Index i = 0; i < other.size(); ++i) {
      const Index round = i / input.size();
      other.data()[i] = input.data()[i % input.size()] * (1 + larger * static_cast<double>(round));
    }
    input = other;
  }
  return result;
}

// Every input with as many columns as the first one, cut to its first column; a vector of that
// length, such as a bias, to its first number.
std::vector<Tensor> with_one_column(const std::vector<Tensor>& inputs) {
  const Index all = inputs.front().dim(1);
  std::vector<Tensor> result = copies(inputs);
  for (Tensor& input : result) {
    const Index rank = input.shape().rank();
    if (rank < 1 || rank > 2 || input.dim(rank - 1) != all) {
      continue;
    }
    Tensor column = Tensor::empty(rank == 2 ? Shape{input.dim(0), 1} : Shape{1});
    for (Index row = 0; row < column.size(); ++row) {
      column.data()[row] = input.data()[row * all];
    }
    input = column;
  }
  return result;
}

// Two inputs of the subject are equal: whether one Var for both gets the sum of their gradients.
std::optional<Finding> check_shared(const Subject& subject, std::size_t first, std::size_t second) {
  try {
    const Run apart = run(subject);
    std::optional<Var> shared;
    const Run together = run(subject, [&](Tape& tape, std::size_t k) {
      if (k == second) {
        return *shared;
      }
      Var leaf = tape.variable(subject.inputs[k]);
      if (k == first) {
        shared = leaf;
      }
      return leaf;
    });
    const GradientRounding rounding(subject, apart);
    const Tensor sum = sum_of(apart.gradients[first], apart.gradients[second]);
    const Index i = rounding.first_difference(sum, together.gradients[first], {first, second});
    if (i >= 0) {
      return subject.found(
          Verdict::not_accumulated, first, i,
          fmt::format("apart the two get {:.6g} and {:.6g}, together {:.6g}: the "
                      "second must add to the first",
                      apart.gradients[first].data()[i], apart.gradients[second].data()[i],
                      together.gradients[first].data()[i]));
    }
  } catch (...) {
    return subject.thrown();
  }
  return {};
}

}  // namespace

std::optional<Finding> probe_same_input(const Subject& subject) {
  for (std::size_t second = 1; second < subject.inputs.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      if (subject.inputs[first].shape() != subject.inputs[second].shape()) {
        continue;
      }
      std::vector<Tensor> inputs = copies(subject.inputs);
      inputs[second] = inputs[first].copy();
      const auto same = with_inputs(subject, inputs,
                                    fmt::format("with one Var as inputs {} and {}", first, second));
      if (auto finding = same ? check_shared(*same, first, second) : std::nullopt) {
        return finding;
      }
    }
  }
  return {};
}

std::optional<Finding> probe_sizes(const Subject& subject) {
  if (subject.inputs.empty() || subject.inputs.front().shape().rank() != 2) {
    return {};
  }
  const Index N = subject.inputs.front().dim(0);
  const Index D = subject.inputs.front().dim(1);
  const std::vector<std::pair<Index, const char*>> numbers_of_rows{
      {1, "with the first row alone"},
      {0, "with no rows"},
      {2, "with two rows"},
      {2 * N, "with the rows doubled"},
      {D, "with as many rows as columns"}};
  for (const auto& [rows, probe] : numbers_of_rows) {
    if (rows == N || N * D == 0) {
      continue;
    }
    if (auto finding = check_run(subject, with_rows(subject.inputs, rows), probe)) {
      return finding;
    }
  }
  if (D < 2) {
    return {};
  }
  return check_run(subject, with_one_column(subject.inputs), "with the first column alone");
}

std::optional<Finding> probe_far_values(const Subject& subject) {
  for (const double factor : {1e3, 1e-3}) {
    std::vector<Tensor> inputs = copies(subject.inputs);
    for (Tensor& input : inputs) {
      for (Scalar& x : input.values()) {
        x *= factor;
      }
    }
    const char* size = factor > 1 ? "large" : "small";
    if (auto finding =
            check_run(subject, inputs, fmt::format("with inputs 1000 times as {}", size))) {
      return finding;
    }
  }
  return {};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
