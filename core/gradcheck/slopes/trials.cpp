// Decides which of several trials with different first steps gives the slope.

#include "core/gradcheck/slopes/slope.hpp"

namespace tapehead {

double natural_size(const Slope& slope) {
  return slope.noise * first_step_share / std::numeric_limits<double>::epsilon();
}

double Tolerance::allowed(double gradient, const Slope& slope) const {
  return relative * std::max(std::abs(gradient), std::abs(slope.value)) +
         std::min(doubt_share * slope.error, absolute * natural_size(slope));
}

bool Tolerance::agrees(double gradient, const Slope& slope) const {
  return !slope.kink && std::isfinite(gradient) &&
         std::abs(gradient - slope.value) <= allowed(gradient, slope);
}

bool Tolerance::tells(const Slope& slope) const {
  return !slope.kink && slope.error <= relative * std::abs(slope.value);
}

// An output that seems unchanged may have changed by less than its rounding: within the step, or
// within the whole distance that the argument can go. The error of the second case is so small that
// the trial stays conclusive.
Trials::Doubted Trials::with_unseen(const Trial& trial) const {
  double near = 0;
  double far = 0;
  for (std::size_t o = 0; o < rounding_.size(); ++o) {
    if (trial.moved[o]) {
      continue;
    }
    const double step = trial.slope.step;
    const bool beyond = !reach_.empty() && reach_[o] > step;
    (beyond ? far : near) += rounding_[o] / (beyond ? reach_[o] : step);
  }
  Doubted result{.slope = trial.slope, .tells = false};
  result.slope.error += near;
  result.tells = tolerance_.tells(result.slope);
  result.slope.error += far;
  result.slope.noise += near + far;
  return result;
}

bool Trials::settle(Trial trial, double gradient) {
  const Trial& last = trials_.emplace_back(std::move(trial));
  const auto settles = [&] {
    const Doubted doubted = with_unseen(last);
    return doubted.tells && tolerance_.agrees(gradient, doubted.slope);
  };
  if (settles()) {
    return true;
  }
  if (!tolerance_.tells(last.slope) || !tolerance_.agrees(gradient, last.slope)) {
    return false;  // the reach of the argument would not matter
  }
  find_reach();
  return settles();
}

void Trials::find_reach() {
  if (ask_reach_ && reach_.empty()) {
    reach_ = ask_reach_();
  }
}

bool Trials::any_tells() const {
  return std::ranges::any_of(trials_, [this](const Trial& t) { return with_unseen(t).tells; });
}

Slope Trials::best(double gradient) const {
  const std::vector<Doubted> all =
      mapped(trials_, [this](const Trial& trial) { return with_unseen(trial); });
  const auto rank = [](const Doubted& doubted) {
    return std::pair(doubted.slope.kink ? 2 : doubted.tells ? 0 : 1, doubted.slope.error);
  };
  const Doubted& first = *std::ranges::min_element(all, {}, rank);
  Slope best = first.slope;
  if (first.tells || tolerance_.agrees(gradient, best)) {
    for (const Doubted& other : all) {
      const double apart = std::abs(other.slope.value - best.value);
      if (!other.slope.kink && apart > doubt_share * (other.slope.error + best.error)) {
        best.error = std::max(best.error, apart);
      }
    }
    return best;
  }
  // Long steps may skip waves and be certain of a wrong slope; short steps know it roughly.
  const auto confirms = [gradient](const Doubted& d) {
    const double doubt = doubt_share * d.slope.error;
    return !d.slope.kink && doubt < 0.1 * std::abs(gradient) &&
           std::abs(gradient - d.slope.value) <= doubt;
  };
  if (const auto found = std::ranges::find_if(all, confirms); found != all.end()) {
    return found->slope;
  }
  const auto kink = std::ranges::find_if(all, [](const Doubted& d) { return d.slope.kink; });
  return kink != all.end() ? kink->slope : best;
}

}  // namespace tapehead
