#include "core/gradcheck/gradient_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

Tensor with_other_bits(const Tensor& tensor, std::uint64_t seed) {
  constexpr double last_bits = 16 * machine_epsilon;
  const Tensor change = uneven(tensor.shape(), seed);
  Tensor result = tensor.copy();
  for (Index i = 0; i < result.size(); ++i) {
    result.data()[i] *= 1 + last_bits * change.data()[i];
  }
  return result;
}

}  // namespace

std::vector<Tensor> nearby_gradients(const Subject& subject, std::uint64_t seed) {
  std::vector<Tensor> inputs;
  for (const Tensor& input : subject.inputs) {
    inputs.push_back(with_other_bits(input, seed + inputs.size()));
  }
  const Subject nearby{.function = subject.function,
                       .inputs = inputs,
                       .options = subject.options,
                       .cotangent = with_other_bits(subject.cotangent, seed + 50),
                       .op = subject.op,
                       .probe = subject.probe};
  try {
    return run(nearby).gradients;
  } catch (const std::exception&) {
    return {};
  }
}

const Tensor& GradientRounding::of(std::size_t input) const {
  if (rounding_.empty()) {
    find();
  }
  return rounding_[input];
}

void GradientRounding::find() const {
  constexpr std::uint64_t trials = 16;  // many: a rounded number may stay the same
  constexpr double share = 30;          // each trial may move it by less than rounding can
  for (const Tensor& gradient : run_.gradients) {
    rounding_.push_back(Tensor::zeros(gradient.shape()));
  }
  for (std::uint64_t trial = 1; trial <= trials; ++trial) {
    const std::vector<Tensor> nearby =
        nearby_gradients(subject_, subject_.options.seed + 100 * trial);
    for (std::size_t k = 0; k < nearby.size(); ++k) {
      for (Index i = 0; i < nearby[k].size(); ++i) {
        const double moved = std::abs(nearby[k].data()[i] - run_.gradients[k].data()[i]);
        Scalar& most = rounding_[k].data()[i];
        most = std::isfinite(moved) ? std::max(most, share * moved) : most;
      }
    }
  }
}

Index GradientRounding::first_difference(const Tensor& a, const Tensor& b,
                                         std::initializer_list<std::size_t> inputs) const {
  for (Index i = 0; i < a.size(); ++i) {
    const Scalar x = a.data()[i];
    const Scalar y = b.data()[i];
    const double last_bits = 1000 * machine_epsilon * std::max(std::abs(x), std::abs(y));
    if (x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= last_bits) {
      continue;
    }
    double rounding = 0;
    for (const std::size_t input : inputs) {
      rounding += of(input).data()[i];
    }
    if (!(std::abs(x - y) <= rounding)) {
      return i;
    }
  }
  return -1;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
