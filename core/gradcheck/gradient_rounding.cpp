#include "core/gradcheck/gradient_rounding.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr double off_by = 1e-5;  // relative to the gradients along the path

// The scale of an element's steps: its own size if that is far below 1 and below the other
// elements, otherwise the usual scale.
double scale_of(const Tensor& input, Index element) {
  constexpr double far_below = 1e-3;
  const double own = std::abs(input.data()[element]);
  const double usual = std::max<double>(own, std::min<Scalar>(1, magnitude(input)));
  return own > 0 && own < far_below * usual ? own : usual;
}

// Whether the gradient, integrated along a path of this length, equals the change of L. Integrates
// by Gauss's rule with three points in each of sixteen parts.
bool adds_up(const Subject& subject, std::size_t input, Index element, double length) {
  constexpr int parts = 16;
  const std::array<double, 3> places{0.5 - std::sqrt(0.15), 0.5, 0.5 + std::sqrt(0.15)};
  const std::array<double, 3> weights{5.0 / 18, 8.0 / 18, 5.0 / 18};
  std::vector<Tensor> inputs = copies(subject.inputs);
  const auto at = [&](double distance) {
    inputs[input].data()[element] = subject.inputs[input].data()[element] + distance;
    return run(subject.with(inputs));
  };
  const double part = length / parts;
  double sum = 0;
  double size = 0;
  for (int i = 0; i < parts; ++i) {
    for (std::size_t k = 0; k < places.size(); ++k) {
      const Run there = at((i + places[k]) * part);
      const double term = weights[k] * part * there.gradients[input].data()[element];
      sum += term;
      size += std::abs(term);
    }
  }
  const Tensor begin = at(0).forward;
  const Tensor end = at(length).forward;
  for (Index o = 0; o < end.size(); ++o) {
    sum -= subject.cotangent.data()[o] * (end.data()[o] - begin.data()[o]);
  }
  return std::abs(sum) <= off_by * size;
}

// The gradients after small changes in the last bits of inputs and cotangent; empty if the function
// throws.
std::vector<Tensor> nearby_gradients(const Subject& subject, std::uint64_t seed) {
  std::vector<Tensor> inputs;
  for (const Tensor& input : subject.inputs) {
    inputs.push_back(with_other_bits(input, seed + inputs.size()));
  }
  Subject nearby = subject.with(inputs);
  nearby.cotangent = with_other_bits(subject.cotangent, seed + 50);
  try {
    return run(nearby).gradients;
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

bool gradient_adds_up(const Subject& subject, std::size_t input, Index element) {
  const double scale = scale_of(subject.inputs[input], element);
  try {
    for (const double share : {1.0 / 64, 1.0 / 16, 1.0 / 4, 1.0, 4.0}) {
      if (adds_up(subject, input, element, share * scale) ||
          adds_up(subject, input, element, -share * scale)) {
        return true;
      }
    }
  } catch (const std::exception&) {
    return false;  // the path reaches a point where the function is not defined
  }
  return false;
}

double size_of_all(const Subject& subject, const Tensor& output, std::size_t input, Index element) {
  double sum = 0;
  for (const Scalar y : output.values()) {
    sum += std::abs(y);
  }
  // The largest cotangent, because the cotangents of some outputs may be 0.
  return sum * magnitude(subject.cotangent) / scale_of(subject.inputs[input], element);
}

double rounding_along(const Subject& subject, std::size_t input, const Tensor& direction,
                      double along) {
  constexpr std::uint64_t trials = 16;  // many: a rounded number may stay the same
  double most = 0;
  for (std::uint64_t trial = 1; trial <= trials; ++trial) {
    const std::vector<Tensor> nearby = nearby_gradients(subject, subject.options.seed + trial);
    if (!nearby.empty()) {
      most = std::max(most, std::abs(sum_of_products(direction, nearby[input]) - along));
    }
  }
  return most;
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
  constexpr double share = 30;          // a trial may move a gradient by less than rounding does
  constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();
  std::vector<Tensor> least;
  std::vector<Tensor> most;
  for (const Tensor& gradient : run_.gradients) {
    least.push_back(Tensor::full(gradient.shape(), infinity));
    most.push_back(Tensor::full(gradient.shape(), -infinity));
    rounding_.push_back(Tensor::zeros(gradient.shape()));
  }
  for (std::uint64_t trial = 1; trial <= trials; ++trial) {
    const std::vector<Tensor> nearby =
        nearby_gradients(subject_, subject_.options.seed + 100 * trial);
    for (std::size_t k = 0; k < nearby.size(); ++k) {
      for (Index i = 0; i < nearby[k].size(); ++i) {
        if (const Scalar x = nearby[k].data()[i]; std::isfinite(x)) {
          least[k].data()[i] = std::min(least[k].data()[i], x);
          most[k].data()[i] = std::max(most[k].data()[i], x);
        }
      }
    }
  }
  for (std::size_t k = 0; k < rounding_.size(); ++k) {
    for (Index i = 0; i < rounding_[k].size(); ++i) {
      const Scalar low = least[k].data()[i];
      const Scalar high = most[k].data()[i];
      const Scalar x = run_.gradients[k].data()[i];
      const Scalar beyond = std::max({low - x, x - high, Scalar{0}});
      const bool near = beyond > 0 && beyond <= output_rounding(subject_, run_.forward, k, i);
      if (std::isfinite(beyond)) {
        rounding_[k].data()[i] = share * (high - low + (near ? beyond : 0));
      }
    }
  }
}

Index GradientRounding::first_difference(const Tensor& a, const Tensor& b,
                                         std::initializer_list<std::size_t> inputs) const {
  for (Index i = 0; i < a.size(); ++i) {
    const Scalar x = a.data()[i];
    const Scalar y = b.data()[i];
    // Below the smallest normal number, rounding is not proportional to the number.
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
