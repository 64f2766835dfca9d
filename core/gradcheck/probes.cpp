#include "core/gradcheck/checks.hpp"

#include "core/gradcheck/differences.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Checks the subject with other inputs; finds nothing if the function has no finite value there.
std::optional<Finding> check_with(
    const Subject& subject, std::vector<Tensor> inputs, std::string probe,
    const std::function<std::optional<Finding>(const Subject& probed)>& check) {
  Subject probed = subject;
  try {
    const Tensor output = value_of(subject.function, inputs);
    if (first_not_finite(output) >= 0) {
      return {};
    }
    probed.cotangent = uneven(output.shape(), subject.options.seed + 1);
  } catch (const std::exception&) {
    return {};
  }
  probed.inputs = std::move(inputs);
  probed.probe = std::move(probe);
  try {
    return check(probed);
  } catch (...) {
    return probed.thrown();
  }
}

// Finds a gradient that is not finite although its slope is. If the output divided by the input
// nearly overflows, the slope itself may overflow, and nothing is reported.
std::optional<Finding> check_finite(const Subject& subject, const Run& run) {
  constexpr double near_overflow = 1e300;
  for (std::size_t k = 0; k < subject.inputs.size(); ++k) {
    for (Index i = 0; i < run.gradients[k].size(); ++i) {
      const Scalar gradient = run.gradients[k].data()[i];
      const Scalar x = subject.inputs[k].data()[i];
      const bool overflows =
          std::isinf(gradient) && x != 0 && magnitude(run.forward) / std::abs(x) > near_overflow;
      if (!std::isfinite(gradient) && !overflows) {
        return subject.found(Verdict::not_finite, k, i,
                             fmt::format("the gradient is {}, but the output is finite: does only "
                                         "the forward pass guard a quotient or an exponential?",
                                         gradient));
      }
    }
  }
  return {};
}

// Compares gradients with slopes of L along random directions: one comparison per input instead of
// one per element. Reports only certain errors: the inputs of a probe may be close to kinks, or
// where differences are imprecise.
std::optional<Finding> check_directions(const Subject& subject, const Run& run) {
  Differences differences(subject);
  const double share = std::max(1e-4, subject.options.relative_tolerance);
  for (std::size_t k = 0; k < subject.inputs.size(); ++k) {
    const Tensor& gradient = run.gradients[k];
    // The direction is random, with the signs of the gradient, so that no parts cancel: the slope
    // is small only if the gradient is. Each element moves in proportion to its own size.
    const auto move = [largest = magnitude(subject.inputs[k])](Scalar part, Scalar x, Scalar g) {
      const double distance = part * (std::abs(x) > 0 ? std::abs(x) : largest);
      return g != 0 ? std::copysign(distance, g) : distance;
    };
    const Tensor parts = uneven(gradient.shape(), subject.options.seed + 77 + k);
    const Tensor direction = by_element(move, parts, subject.inputs[k], gradient);
    const double along = sum_of_products(direction, gradient);  // no part is negative
    const Slope slope = differences.along(k, direction, along);
    const double distance = std::abs(along - slope.value);
    if (!slope.kink && distance > share * std::max(along, std::abs(slope.value)) &&
        distance > 1000 * slope.error &&
        distance > 1000 * rounding_along(subject, k, direction, along)) {
      Finding finding =
          subject.found(Verdict::wrong, k, -1,
                        "right for your own inputs, but not here; the numbers are slopes along a "
                        "random direction, which has the gradient's signs");
      finding.compare(along, slope.value, slope.error);
      return finding;
    }
  }
  return {};
}

std::optional<Finding> check_run(const Subject& probed) {
  const Run result = run(probed);
  auto finding = check_finite(probed, result);
  return finding ? finding : check_directions(probed, result);
}

// Changes the number of rows of each matrix that has as many rows as the first input. The result
// has the matrix's first rows, then the same rows again, each time a little larger.
std::vector<Tensor> with_rows(const std::vector<Tensor>& inputs, Index rows) {
  constexpr double larger = 1.0 / 16;
  const Index all = inputs.front().dim(0);
  return mapped(inputs, [&](const Tensor& input) {
    if (input.shape().rank() != 2 || input.dim(0) != all) {
      return input.copy();
    }
    Tensor other = Tensor::empty({rows, input.dim(1)});
    for (Index i = 0; i < other.size(); ++i) {
      const Index round = i / input.size();
      other.data()[i] = input.data()[i % input.size()] * (1 + larger * static_cast<double>(round));
    }
    return other;
  });
}

// Cuts inputs with as many columns as the first input to one column, and vectors of that length,
// such as a bias, to one number.
std::vector<Tensor> with_one_column(const std::vector<Tensor>& inputs) {
  const Index all = inputs.front().dim(1);
  return mapped(inputs, [all](const Tensor& input) {
    const Index rank = input.shape().rank();
    if (rank < 1 || rank > 2 || input.dim(rank - 1) != all) {
      return input.copy();
    }
    Tensor column = Tensor::empty(rank == 2 ? Shape{input.dim(0), 1} : Shape{1});
    for (Index row = 0; row < column.size(); ++row) {
      column.data()[row] = input.data()[row * all];
    }
    return column;
  });
}

// Checks that a single Var for two equal inputs gets the sum of their gradients.
std::optional<Finding> check_shared(const Subject& subject, std::size_t first, std::size_t second) {
  const CheckedRun apart(subject, run(subject));
  std::optional<Var> shared;
  const Run together = run(subject, [&](Tape& tape, std::size_t k) {
    Var leaf = k == second ? *shared : tape.variable(subject.inputs[k]);
    if (k == first) {
      shared = leaf;
    }
    return leaf;
  });
  const Tensor& one = apart.run.gradients[first];
  const Tensor& other = apart.run.gradients[second];
  const Tensor& both = together.gradients[first];
  const Index i = apart.first_difference(sum_of(one, other), both, {first, second});
  if (i < 0) {
    return {};
  }
  return subject.found(
      Verdict::not_accumulated, first, i,
      fmt::format("as two Vars the inputs get {:.6g} and {:.6g}, as one Var {:.6g}, not the sum: "
                  "the second gradient must be added to the first",
                  one.data()[i], other.data()[i], both.data()[i]));
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
      const auto check = [&](const Subject& same) { return check_shared(same, first, second); };
      if (auto finding =
              check_with(subject, std::move(inputs),
                         fmt::format("with one Var as inputs {} and {}", first, second), check)) {
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
    auto finding = rows == N || N * D == 0
                       ? std::nullopt
                       : check_with(subject, with_rows(subject.inputs, rows), probe, check_run);
    if (finding) {
      return finding;
    }
  }
  return D < 2 ? std::nullopt
               : check_with(subject, with_one_column(subject.inputs), "with the first column alone",
                            check_run);
}

std::optional<Finding> probe_far_values(const Subject& subject) {
  for (const double factor : {1e3, 1e-3}) {
    const auto multiple = [factor](const Tensor& input) {
      return by_element([factor](Scalar x) { return x * factor; }, input);
    };
    const char* const probe =
        factor > 1 ? "with inputs 1000 times as large" : "with inputs 1000 times as small";
    if (auto finding = check_with(subject, mapped(subject.inputs, multiple), probe, check_run)) {
      return finding;
    }
  }
  return {};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
