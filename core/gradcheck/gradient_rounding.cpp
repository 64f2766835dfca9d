#include "core/gradcheck/gradient_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "core/gradcheck/path.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

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

// The least and the largest finite number that each element of several tensors has.
class Range {
 public:
  explicit Range(const Shape& shape)
      : least_(Tensor::full(shape, infinity)), most_(Tensor::full(shape, -infinity)) {}

  void add(const Tensor& tensor) {
    for (Index i = 0; i < tensor.size(); ++i) {
      const Scalar x = tensor.data()[i];
      if (std::isfinite(x)) {
        least_.data()[i] = std::min(least_.data()[i], x);
        most_.data()[i] = std::max(most_.data()[i], x);
      }
    }
  }
  double extent(Index i) const { return most_.data()[i] - least_.data()[i]; }

  // How far x is outside; infinite or NaN if there is no range, or x is not finite.
  double beyond(Index i, Scalar x) const {
    return std::max({least_.data()[i] - x, x - most_.data()[i], Scalar{0}});
  }

 private:
  static constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();

  Tensor least_;
  Tensor most_;
};

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

double output_rounding(const Subject& subject, const Tensor& output, std::size_t input,
                       Index element) {
  return 1000 * machine_epsilon * size_of_all(subject, output, input, element);
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
  std::vector<Range> ranges;
  for (const Tensor& gradient : run_.gradients) {
    ranges.emplace_back(gradient.shape());
    rounding_.push_back(Tensor::zeros(gradient.shape()));
  }
  for (std::uint64_t trial = 1; trial <= trials; ++trial) {
    const std::vector<Tensor> nearby =
        nearby_gradients(subject_, subject_.options.seed + 100 * trial);
    for (std::size_t k = 0; k < nearby.size(); ++k) {
      ranges[k].add(nearby[k]);
    }
  }
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    for (Index i = 0; i < rounding_[k].size(); ++i) {
      const double beyond = ranges[k].beyond(i, run_.gradients[k].data()[i]);
      const bool near = beyond > 0 && beyond <= output_rounding(subject_, run_.forward, k, i);
      if (std::isfinite(beyond)) {
        rounding_[k].data()[i] = share * (ranges[k].extent(i) + (near ? beyond : 0));
      }
    }
  }
}

Index GradientRounding::first_difference(const Tensor& a, const Tensor& b,
                                         std::initializer_list<std::size_t> inputs) const {
  for (Index i = 0; i < a.size(); ++i) {
    const Scalar x = a.data()[i];
    const Scalar y = b.data()[i];
    // Below the smallest normal number a rounding is no share of the number.
    const double last_bits = 1000 * machine_epsilon * std::max(std::abs(x), std::abs(y)) +
                             std::numeric_limits<Scalar>::min();
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

}}  // namespace tapehead::TAPEHEAD_PRECISION
