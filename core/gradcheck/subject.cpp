#include "core/gradcheck/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/draws.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

Tensor Subject::value(const std::vector<Tensor>& at) const {
  Tape tape(false);
  std::vector<Var> leaves;
  leaves.reserve(at.size());
  for (const Tensor& input : at) {
    leaves.push_back(tape.constant(input));
  }
  return function(tape, leaves).value();
}

Tensor uneven(const Shape& shape, std::uint64_t seed) {
  const Draws draws(seed, "gradcheck.uneven", 0);
  Tensor result = Tensor::empty(shape);
  std::uint64_t index = 0;
  for (Scalar& number : result.values()) {
    const double uniform = 2 * draw_uniform(draws, index++) - 1;
    number = static_cast<Scalar>(uniform + std::copysign(0.5, uniform));
  }
  return result;
}

Run run(const Subject& subject, const MakeLeaf& make_leaf) {
  Tape tape;
  std::vector<Var> leaves;
  leaves.reserve(subject.inputs.size());
  for (std::size_t k = 0; k < subject.inputs.size(); ++k) {
    leaves.push_back(make_leaf(tape, k));
  }
  const Var output = subject.function(tape, leaves);
  Run result{.output = output.value(), .gradients = {}};
  tape.backward(output, subject.cotangent);
  for (const Var& leaf : leaves) {
    result.gradients.push_back(tape.gradient(leaf));
  }
  return result;
}

Run run(const Subject& subject) {
  return run(subject, [&](Tape& tape, std::size_t k) { return tape.variable(subject.inputs[k]); });
}

std::vector<Tensor> copies(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> result;
  result.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    result.push_back(tensor.copy());
  }
  return result;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), a.values().size_bytes()) == 0;
}

Index first_difference(const Tensor& a, const Tensor& b) {
  constexpr Scalar rounding = 1000 * std::numeric_limits<Scalar>::epsilon();
  const auto close = [](Scalar x, Scalar y) {
    return std::abs(x - y) <= rounding * (1 + std::max(std::abs(x), std::abs(y)));
  };
  const auto found = std::ranges::mismatch(a.values(), b.values(), close);
  return found.in1 == a.values().end() ? -1 : found.in1 - a.values().begin();
}

std::string name_of(std::size_t input, Index element, const Shape& shape) {
  std::string position;
  for (Index axis = shape.rank() - 1; axis >= 0; --axis) {
    position = fmt::format("{}{}{}", element % shape[axis], position.empty() ? "" : ", ", position);
    element /= shape[axis];
  }
  return fmt::format("input {} [{}] of {}", input, position, shape.to_string());
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
