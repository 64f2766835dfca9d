#include "train/output/progress.hpp"

#include <spdlog/spdlog.h>

#include "train/output/logging.hpp"
#include "train/output/text_table.hpp"

namespace tapehead {

namespace {

constexpr double live_seconds = 0.1;  // between two updates of the live line
constexpr double rate_seconds = 5.0;  // over which the speed is smoothed
constexpr Index unlimited = std::numeric_limits<Index>::max();

}  // namespace

Progress::Progress(std::shared_ptr<Console> console, ProgressOptions options)
    : console_(std::move(console)), options_(options) {}

void Progress::update(const StepReport& report) {
  smooth_rate(report);
  if (!started_) {
    started_ = true;
    first_ = report;
    next_line_ = report.elapsed + options_.log_seconds;
  }
  if (live() && report.elapsed >= next_live_) {
    console_->live(line(report, console_->width()));
    next_live_ = report.elapsed + live_seconds;
  }
  if (report.elapsed >= next_line_) {
    if (live()) {
      log_to_file_only(line(report, unlimited));
    } else {
      spdlog::info(line(report, unlimited));
    }
    next_line_ = report.elapsed + options_.log_seconds;
  }
}

void Progress::finish() {
  if (live()) {
    console_->live("");
  }
}

// In a narrow terminal parts are left out: first the gradient norm, then the learning rate, then
// the epoch.
std::string Progress::line(const StepReport& report, Index width) const {
  std::string text = line_without(report, 0);
  for (int parts = 1; parts <= 3 && text_width(text) > width; ++parts) {
    text = line_without(report, parts);
  }
  return text;
}

std::string Progress::line_without(const StepReport& report, int parts) const {
  std::string text = fmt::format("step {}", report.step);
  if (options_.total_steps) {
    text += fmt::format("/{}", *options_.total_steps);
  }
  if (parts < 3) {
    text += fmt::format("  epoch {}", report.epoch);
  }
  text += fmt::format("  loss {:.4f}", report.loss);
  if (report.gated_heads > 0) {
    text += fmt::format("  open heads {:.1f}/{}", report.open_heads, report.gated_heads);
  }
  if (parts < 2) {
    text += fmt::format("  lr {:.2e}", report.learning_rate);
  }
  if (parts < 1) {
    text += fmt::format("  grad norm {:.3f}", report.gradient_norm);
  }
  text += fmt::format("  {} tokens/s", format_count(rate_));
  if (const auto left = seconds_left(report)) {
    text += fmt::format("  {} left", format_duration(*left));
  }
  return text;
}

std::optional<double> Progress::seconds_left(const StepReport& report) const {
  std::optional<double> left;
  const Index steps = report.step - first_.step;
  if (options_.total_steps && steps > 0) {
    const double per_step = (report.elapsed - first_.elapsed) / static_cast<double>(steps);
    left = per_step * static_cast<double>(std::max<Index>(*options_.total_steps - report.step, 0));
  }
  if (options_.total_seconds) {
    const double rest = std::max(*options_.total_seconds - report.elapsed, 0.0);
    left = left ? std::min(*left, rest) : rest;
  }
  return left;
}

void Progress::smooth_rate(const StepReport& report) {
  if (report.step_seconds <= 0) {
    return;
  }
  const double now = static_cast<double>(report.tokens) / report.step_seconds;
  const double weight = rate_ == 0 ? 1.0 : -std::expm1(-report.step_seconds / rate_seconds);
  rate_ += weight * (now - rate_);
}

}  // namespace tapehead
