// Progress: shows the state of the training, as one live line on a terminal or as a plain line
// every few seconds.
#pragma once

#include "train/output/logging.hpp"

namespace tapehead {

// The results of one training step.
struct StepReport {
  Index step = 0;  // counted from 1
  Index epoch = 0;
  double loss = 0;
  double learning_rate = 0;
  double gradient_norm = 0;
  double open_heads = 0;    // expected number of open heads, among those with gates
  Index gated_heads = 0;    // 0: not reported
  Index tokens = 0;         // of this step
  double step_seconds = 0;  // of this step alone, without evaluations and checkpoints
  double elapsed = 0;       // seconds of training in total, including those before a resume
};

struct ProgressOptions {
  std::optional<Index> total_steps;     // where the training ends, as far as known
  std::optional<double> total_seconds;  // likewise; the earlier one counts
  double log_seconds = 5;               // between plain lines
};

class Progress {
 public:
  // `console`: null for none.
  Progress(std::shared_ptr<Console> console, ProgressOptions options);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { finish(); }

  // Shows a step if it is time: the live line ten times a second, and every `log_seconds` a line in
  // the log, which a terminal does not show again.
  void update(const StepReport& report);

  // Removes the live line.
  void finish();

 private:
  bool live() const { return console_ != nullptr && console_->terminal(); }
  std::string line(const StepReport& report, Index width) const;
  std::string line_without(const StepReport& report, int parts) const;
  std::optional<double> seconds_left(const StepReport& report) const;
  void smooth_rate(const StepReport& report);

  std::shared_ptr<Console> console_;
  ProgressOptions options_;
  StepReport first_;  // of this process; the remaining time is estimated from it
  bool started_ = false;
  double next_live_ = 0;
  double next_line_ = 0;
  double rate_ = 0;  // tokens per second
};

}  // namespace tapehead
