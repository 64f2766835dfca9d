#include "core/gradcheck/probes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "core/finite.hpp"
#include "core/gradcheck/differences.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// The subject with other inputs, where the function has a finite value; nothing where it has not.
// `inputs` must outlive it.
std::optional<Subject> with_inputs(const Subject& subject, const std::vector<Tensor>& inputs,
                                   std::string probe) {
  try {
    Tape tape(false);
    std::vector<Var> leaves;
    for (const Tensor& input : inputs) {
      leaves.push_back(tape.constant(input));
    }
    const Var output = subject.function(tape, leaves);
    if (first_not_finite(output.value()) >= 0) {
      return {};
    }
    return Subject{.function = subject.function,
                   .inputs = inputs,
                   .options = subject.options,
                   .cotangent = uneven(output.shape(), subject.options.seed + 1),
                   .op = subject.op,
                   .probe = std::move(probe)};
  } catch (const std::exception&) {
    return {};
  }
}

std::optional<Finding> check_finite(const Subject& subject, const Run& run) {
  for (std::size_t k = 0; k < subject.inputs.size(); ++k) {
    if (const Index i = first_not_finite(run.gradients[k]); i >= 0) {
      return subject.found(Verdict::not_finite, k, i,
                           fmt::format("the gradient is {} where the output is finite: a quotient "
                                       "or an exponential that the forward pass guards?",
                                       run.gradients[k].data()[i]));
    }
  }
  return {};
}

// A random direction with the signs of the gradient, so that its parts do not cancel: the slope
// along it is small only where the gradient is.
Tensor direction_for(const Tensor& gradient, std::uint64_t seed) {
  Tensor direction = uneven(gradient.shape(), seed);
  for (Index i = 0; i < direction.size(); ++i) {
    if (gradient.data()[i] != 0) {
      direction.data()[i] = std::copysign(direction.data()[i], gradient.data()[i]);
    }
  }
  return direction;
}

double slope_along(const Tensor& direction, const Tensor& gradient) {
  double sum = 0;
  for (Index i = 0; i < direction.size(); ++i) {
    sum += direction.data()[i] * gradient.data()[i];
  }
  return sum;
}

// How far a gradient moves when its inputs' last bits change. What is left of sums that cancel,
// such as those over attention weights of keys that are alike, may be nothing but rounding.
double rounding_along(const Subject& subject, std::size_t input, const Tensor& direction,
                      double along) {
  constexpr double last_bits = 16 * std::numeric_limits<Scalar>::epsilon();
  constexpr std::uint64_t trials = 16;  // many: what rounds to one of two numbers may not move
  double most = 0;
  for (std::uint64_t trial = 1; trial <= trials; ++trial) {
    std::vector<Tensor> inputs = copies(subject.inputs);
    for (Tensor& tensor : inputs) {
      const Tensor change = uneven(tensor.shape(), subject.options.seed + trial);
      for (Index i = 0; i < tensor.size(); ++i) {
        tensor.data()[i] *= 1 + last_bits * change.data()[i];
      }
    }
    const Subject nearby{.function = subject.function,
                         .inputs = inputs,
                         .options = subject.options,
                         .cotangent = subject.cotangent,
                         .op = subject.op,
                         .probe = subject.probe};
    most = std::max(most, std::abs(slope_along(direction, run(nearby).gradients[input]) - along));
  }
  return most;
}

// A gradient against the slope along one direction: wrong only where that is beyond doubt, as
// such inputs may be close to kinks, and far from where differences are precise.
std::optional<Finding> check_directions(const Subject& subject, const Run& run) {
  Differences differences(subject);
  for (std::size_t k = 0; k < subject.inputs.size(); ++k) {
    const Tensor direction = direction_for(run.gradients[k], subject.options.seed + 77 + k);
    // No part is negative.
    const double along = slope_along(direction, run.gradients[k]);
    const Slope slope = differences.along(k, direction);
    const double distance = std::abs(along - slope.value);
    const double share = std::max(1e-4, subject.options.relative_tolerance);
    if (!slope.kink && distance > share * std::max(along, std::abs(slope.value)) &&
        distance > 1000 * slope.error && distance > subject.options.absolute_tolerance &&
        distance > 1000 * rounding_along(subject, k, direction, along)) {
      Finding finding =
          subject.found(Verdict::wrong, k, -1,
                        "right for the inputs that were given; the numbers are slopes along a "
                        "random direction, which has the gradient's signs");
      finding.compared = true;
      finding.analytic = along;
      finding.numeric = slope.value;
      finding.numeric_error = slope.error;
      return finding;
    }
  }
  return {};
}

std::optional<Finding> check_run(const std::optional<Subject>& subject) {
  if (!subject) {
    return {};
  }
  const Run result = run(*subject);
  if (auto finding = check_finite(*subject, result)) {
    return finding;
  }
  return check_directions(*subject, result);
}

// Every input that has as many rows as the first one, cut to its first `rows`.
std::vector<Tensor> first_rows(const std::vector<Tensor>& inputs, Index rows) {
  const Index all = inputs.front().dim(0);
  std::vector<Tensor> result;
  for (const Tensor& input : inputs) {
    const Shape& shape = input.shape();
    const bool cut = shape.rank() == 2 && shape[0] == all;
    result.push_back(cut ? input.part(0, {rows, shape[1]}).copy() : input.copy());
  }
  return result;
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
      if (!same) {
        continue;
      }
      const Run apart = run(*same);
      std::optional<Var> shared;
      const Run together = run(*same, [&](Tape& tape, std::size_t k) {
        if (k == second) {
          return *shared;
        }
        Var leaf = tape.variable(inputs[k]);
        if (k == first) {
          shared = leaf;
        }
        return leaf;
      });
      Tensor sum = apart.gradients[first].copy();
      for (Index i = 0; i < sum.size(); ++i) {
        sum.data()[i] += apart.gradients[second].data()[i];
      }
      if (const Index i = first_difference(sum, together.gradients[first]); i >= 0) {
        return same->found(
            Verdict::not_accumulated, first, i,
            fmt::format("apart the two get {:.6g} and {:.6g}, together {:.6g}: the "
                        "second must add to the first",
                        apart.gradients[first].data()[i], apart.gradients[second].data()[i],
                        together.gradients[first].data()[i]));
      }
    }
  }
  return {};
}

std::optional<Finding> probe_fewer_rows(const Subject& subject) {
  if (subject.inputs.empty() || subject.inputs.front().shape().rank() != 2) {
    return {};
  }
  for (const Index rows : {1, 0}) {
    if (subject.inputs.front().dim(0) <= rows) {
      continue;
    }
    const std::vector<Tensor> inputs = first_rows(subject.inputs, rows);
    const auto fewer =
        with_inputs(subject, inputs, rows == 1 ? "with the first row alone" : "with no rows");
    if (auto finding = check_run(fewer)) {
      return finding;
    }
  }
  return {};
}

std::optional<Finding> probe_far_values(const Subject& subject) {
  for (const double factor : {1e3, 1e-3}) {
    std::vector<Tensor> inputs = copies(subject.inputs);
    for (Tensor& input : inputs) {
      for (Scalar& x : input.values()) {
        x *= factor;
      }
    }
    const auto far =
        with_inputs(subject, inputs,
                    fmt::format("with inputs 1000 times as {}", factor > 1 ? "large" : "small"));
    if (auto finding = check_run(far)) {
      return finding;
    }
  }
  return {};
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
