#include "train/step/schedule.hpp"

#include <numbers>

namespace tapehead {

double learning_rate_at(const TrainingOptions& options, Index d_model, Index step,
                        Index total_steps) {
  const auto s = static_cast<double>(step);
  const auto w = static_cast<double>(options.warmup);
  if (options.schedule == ScheduleKind::noam) {
    const double rise = options.warmup > 0 ? s * std::pow(w, -1.5) : 1 / std::sqrt(s);
    return options.learning_rate / std::sqrt(static_cast<double>(d_model)) *
           std::min(1 / std::sqrt(s), rise);
  }
  if (step <= options.warmup) {
    return options.learning_rate * s / w;
  }
  const double length = std::max(1.0, static_cast<double>(total_steps) - w);
  const double passed = std::clamp((s - w) / length, 0.0, 1.0);
  const double end = options.learning_rate_end;
  switch (options.schedule) {
    case ScheduleKind::linear:
      return end + (options.learning_rate - end) * (1 - passed);
    case ScheduleKind::cosine:
      return end + (options.learning_rate - end) * (1 + std::cos(std::numbers::pi * passed)) / 2;
    case ScheduleKind::inverse_sqrt:
      return options.learning_rate * std::sqrt(std::max(w, 1.0) / s);
    default:
      return options.learning_rate;
  }
}

}  // namespace tapehead
