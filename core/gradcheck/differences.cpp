#include "core/gradcheck/differences.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Differences::Differences(const Subject& subject)
    : subject_(subject), at_(copies(subject.inputs)), centre_(value().copy()) {
  for (Index o = 0; o < centre_.size(); ++o) {
    rounding_.push_back(machine_epsilon *
                        std::abs(subject.cotangent.data()[o] * centre_.data()[o]));
  }
}

Tensor Differences::value() const {
  try {
    return subject_.value(at_);
  } catch (const std::exception&) {
    return Tensor::full(subject_.cotangent.shape(), std::numeric_limits<Scalar>::quiet_NaN());
  }
}

Tolerance tolerance_of(const GradcheckOptions& options) {
  return {.relative = options.relative_tolerance, .absolute = options.absolute_tolerance};
}

// The scales of the first steps, most likely first; a first step is a thousandth of its scale. A
// number near zero among numbers of size 1 may be a sum of them, or the argument of a logarithm.
std::vector<double> Differences::scales(std::size_t input, double at) const {
  constexpr double alike = 8;
  const double all = magnitude(subject_.inputs[input]);
  std::vector<double> result{std::max(std::abs(at), std::min(1.0, all))};
  for (const double scale : {all, std::abs(at), 1.0}) {
    const auto covers = [scale](double other) {
      return scale <= alike * other && other <= alike * scale;
    };
    if (scale > 0 && std::ranges::none_of(result, covers)) {
      result.push_back(scale);
    }
  }
  result.push_back(result.front() / 2);  // a check: other steps round differently
  return result;
}

Rise Differences::rise(const Move& move, double step, std::vector<bool>& moved) {
  const double above = move(step);
  const Tensor up = value().copy();  // a copy: a value may be a view of an input
  const double below = -move(-step);
  const Tensor down = value();
  Rise sum;
  const bool keep = slopes_.size() < kept_steps;
  if (keep) {
    slopes_.push_back(Tensor::empty(up.shape()));
    last_step_ = step;
  }
  // The difference is taken for each output before the sum, so that outputs that do not depend on x
  // add no rounding error.
  for (Index o = 0; o < up.size(); ++o) {
    const double weight = subject_.cotangent.data()[o];
    const Scalar centre = centre_.data()[o];
    const Scalar u = up.data()[o];
    const Scalar d = down.data()[o];
    sum.up += weight * (u - centre);
    sum.down += weight * (centre - d);
    if (u != centre || d != centre) {
      moved[static_cast<std::size_t>(o)] = true;
      const double away = std::max(std::abs(u), std::abs(d));
      const double size = std::max<double>(std::abs(centre), std::isfinite(away) ? away : 0);
      sum.noise += machine_epsilon * std::abs(weight) * size;
    }
    if (keep) {
      slopes_.back().data()[o] = (u - d) / (above + below);
    }
  }
  return {.up = sum.up / above, .down = sum.down / below, .noise = sum.noise / step};
}

Trial Differences::search(const Move& move, double first_step, bool strict) {
  slopes_.clear();
  Trial trial{.slope = {}, .moved = std::vector<bool>(rounding_.size(), false)};
  double noise = 0;
  const auto at = [&](double step) {
    const Rise result = rise(move, step, trial.moved);
    noise = step == first_step ? result.noise : noise;
    return result;
  };
  // A search may stop at a tenth of the tolerance. A `strict` search follows an inconclusive one;
  // it stops later, but not below rounding.
  const auto enough = [&](double slope) {
    const double absolute =
        strict ? doubt_share * noise
               : 0.1 * subject_.options.absolute_tolerance * natural_size({.noise = noise});
    return 0.1 * subject_.options.relative_tolerance * std::abs(slope) + absolute;
  };
  trial.slope = slope_of(at, {.first_step = first_step, .enough = enough});
  move(0);
  return trial;
}

Slope Differences::search(const Move& move, const std::vector<double>& first_steps, double gradient,
                          bool may_go_far) {
  Far far{.reach = {}, .late = 0};
  const Trials::Reach reach = [&] {
    far = go_far(move, first_steps.front());
    return far.reach;
  };
  Trials trials(rounding_, tolerance_of(subject_.options), may_go_far ? reach : Trials::Reach());
  for (const double step : first_steps) {
    if (trials.settle(search(move, step, step != first_steps.front()), gradient)) {
      return trials.best(gradient);
    }
  }
  trials.find_reach();
  if (far.late > 0 && !trials.any_tells()) {
    trials.settle(search(move, far.late, true), gradient);
  }
  return trials.best(gradient);
}

// Near x, an output may stay the same although it depends on x: a probability that is nearly 0, or
// a sum with numbers that are 1e20 times as large. So this function moves x far. An output that
// changes late changes only in its last bits; a larger step changes more bits.
Differences::Far Differences::go_far(const Move& move, double step) const {
  constexpr double more_bits = 0x1p13;
  Far result{.reach = std::vector<double>(rounding_.size(), 0), .late = 0};
  std::vector<bool> moved(rounding_.size(), false);
  for (const int power : {15, 57, 450, 900}) {
    const double distance = std::ldexp(step, power);
    for (const double signed_distance : {distance, -distance}) {
      move(signed_distance);
      const Tensor outputs = value();
      for (std::size_t i = 0; i < moved.size(); ++i) {
        const auto o = static_cast<Index>(i);
        if (!moved[i] && outputs.data()[o] != centre_.data()[o]) {
          moved[i] = true;
          result.late = result.reach[i] > 0 ? more_bits * distance : result.late;
        }
      }
    }
    for (std::size_t i = 0; i < moved.size(); ++i) {
      result.reach[i] = moved[i] ? result.reach[i] : distance;
    }
  }
  move(0);
  return result;
}

Differences::Move Differences::move_of(std::size_t input, Index element) {
  return [&x = at_[input].data()[element],
          centre = subject_.inputs[input].data()[element]](double distance) {
    x = centre + distance;
    return x - centre;
  };
}

Slope Differences::element(std::size_t input, Index element, double gradient) {
  std::vector<double> steps;
  for (const double scale : scales(input, subject_.inputs[input].data()[element])) {
    // A power of two, so that x ± step is exact unless x and step differ very much in size.
    steps.push_back(std::exp2(std::round(std::log2(first_step_share * scale))));
  }
  return search(move_of(input, element), steps, gradient, true);
}

Slope Differences::along(std::size_t input, const Tensor& direction, double gradient) {
  Tensor& at = at_[input];
  const Tensor& centre = subject_.inputs[input];
  const Move move = [&](double distance) {
    for (Index i = 0; i < at.size(); ++i) {
      at.data()[i] = centre.data()[i] + distance * direction.data()[i];
    }
    return distance;
  };
  std::vector<double> steps;
  for (const double scale : scales(input, 0)) {
    steps.push_back(first_step_share * scale / magnitude(direction));
  }
  return search(move, steps, gradient, false);
}

Column Differences::last_column() const {
  Column column;
  for (Index o = 0; o < centre_.size(); ++o) {
    Tableau tableau(2);
    Estimate limit;
    bool moves = false;
    for (const Tensor& slopes : slopes_) {
      limit = tableau.add(slopes.data()[o]);
      moves = moves || slopes.data()[o] != 0;
    }
    const double noise = moves ? machine_epsilon * std::abs(centre_.data()[o]) / last_step_ : 0;
    limit.error = std::max(limit.error, noise);
    column.push_back(limit);
  }
  return column;
}

Column Differences::column(std::size_t input, Index element, const Slope& slope) {
  slopes_.clear();
  std::vector<bool> moved(rounding_.size(), false);
  const Move move = move_of(input, element);
  double step = slope.step;
  while (slope.last > 0 && step > 2 * step_shrink * step_shrink * slope.last) {
    step /= step_shrink;
  }
  for (std::size_t i = 0; i < kept_steps; ++i, step /= step_shrink) {
    rise(move, step, moved);
  }
  move(0);
  return last_column();
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
