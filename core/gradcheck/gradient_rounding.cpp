#include "core/gradcheck/gradient_rounding.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr double off_by = 1e-5;                // relative to the gradients along the path
constexpr std::uint64_t rounding_trials = 16;  // many: a rounded number may stay the same

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
  Subject moved = subject;
  moved.inputs = copies(subject.inputs);
  const auto at = [&](double distance) {
    moved.inputs[input].data()[element] = subject.inputs[input].data()[element] + distance;
    return run(moved);
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

// The gradients of many trials that change the last bits of inputs and cotangent, without trials in
// which the function throws. The seeds of two trials are `apart` from each other.
std::vector<std::vector<Tensor>> nearby_gradients(const Subject& subject, std::uint64_t apart) {
  std::vector<std::vector<Tensor>> trials;
  for (std::uint64_t trial = 1; trial <= rounding_trials; ++trial) {
    const std::uint64_t seed = subject.options.seed + apart * trial;
    Subject nearby = subject;
    for (std::uint64_t own_seed = seed; auto& input : nearby.inputs) {
      input = with_other_bits(input, own_seed++);
    }
    nearby.cotangent = with_other_bits(subject.cotangent, seed + 50);
    try {
      trials.push_back(run(nearby).gradients);
    } catch (const std::exception&) {
      continue;
    }
  }
  return trials;
}

}  // namespace

bool gradient_adds_up(const Subject& subject, std::size_t input, Index element) {
  constexpr std::array shares{1.0 / 64, 1.0 / 16, 1.0 / 4, 1.0, 4.0};
  const double scale = scale_of(subject.inputs[input], element);
  try {
    return std::ranges::any_of(shares, [&](double share) {
      return adds_up(subject, input, element, share * scale) ||
             adds_up(subject, input, element, -share * scale);
    });
  } catch (const std::exception&) {
    return false;  // the path reaches a point where the function is not defined
  }
}

double rounding_along(const Subject& subject, std::size_t input, const Tensor& direction,
                      double along) {
  double most = 0;
  for (const std::vector<Tensor>& nearby : nearby_gradients(subject, 1)) {
    most = std::max(most, std::abs(sum_of_products(direction, nearby[input]) - along));
  }
  return most;
}

double CheckedRun::size_of_all(std::size_t input, Index element) const {
  double sum = 0;
  for (const Scalar y : run.forward.values()) {
    sum += std::abs(y);
  }
  // The largest cotangent, because the cotangents of some outputs may be 0.
  return sum * magnitude(subject.cotangent) / scale_of(subject.inputs[input], element);
}

double CheckedRun::output_rounding(std::size_t input, Index element) const {
  return 1000 * machine_epsilon * size_of_all(input, element);
}

const Tensor& CheckedRun::rounding(std::size_t input) const {
  if (!rounding_.empty()) {
    return rounding_[input];
  }
  constexpr double share = 30;  // a trial may move a gradient by less than rounding does
  const std::vector<std::vector<Tensor>> trials = nearby_gradients(subject, 100);
  for (std::size_t k = 0; k < run.gradients.size(); ++k) {
    const Tensor& gradient = run.gradients[k];
    Tensor& spread = rounding_.emplace_back(Tensor::zeros(gradient.shape()));
    for (Index i = 0; i < gradient.size(); ++i) {
      Scalar low = std::numeric_limits<Scalar>::infinity();
      Scalar high = -low;
      for (const std::vector<Tensor>& nearby : trials) {
        if (const Scalar x = nearby[k].data()[i]; std::isfinite(x)) {
          low = std::min(low, x);
          high = std::max(high, x);
        }
      }
      const Scalar x = gradient.data()[i];
      const Scalar beyond = std::max({low - x, x - high, Scalar{0}});
      const bool near = beyond > 0 && beyond <= output_rounding(k, i);
      if (std::isfinite(beyond)) {
        spread.data()[i] = share * (high - low + (near ? beyond : 0));
      }
    }
  }
  return rounding_[input];
}

Index CheckedRun::first_difference(const Tensor& a, const Tensor& b,
                                   std::initializer_list<std::size_t> inputs) const {
  return first_where(a.size(), [&](Index i) {
    const Scalar x = a.data()[i];
    const Scalar y = b.data()[i];
    // Below the smallest normal number, rounding is not proportional to the number.
    const double last_bits = 1000 * machine_epsilon * std::max(std::abs(x), std::abs(y)) +
                             std::numeric_limits<Scalar>::min();
    if (x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= last_bits) {
      return false;
    }
    double most = 0;
    for (const std::size_t input : inputs) {
      most += rounding(input).data()[i];
    }
    return !(std::abs(x - y) <= most);
  });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
