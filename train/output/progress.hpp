// Progress: where the training stands, as one live line on a terminal or a plain line every few
// seconds.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/types.hpp"
#include "train/output/console.hpp"

namespace tapehead {

// What one training step tells.
struct StepReport {
  Index step = 0;  // counted from 1
  Index epoch = 0;
  double loss = 0;
  double learning_rate = 0;
  double gradient_norm = 0;
  double open_heads = 0;    // to be expected, of those with gates
  Index gated_heads = 0;    // 0: nothing is said of them
  Index tokens = 0;         // of this step
  double step_seconds = 0;  // of this step alone, without evaluations and checkpoints
  double elapsed = 0;       // seconds of training in all, those before a resume included
};

struct ProgressOptions {
  std::optional<Index> total_steps;     // where the training ends, as far as it is known
  std::optional<double> total_seconds;  // likewise; the earlier of the two counts
  double log_seconds = 5;               // between plain lines
};

class Progress {
 public:
  // `console`: null where there is none.
  Progress(std::shared_ptr<Console> console, ProgressOptions options);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { finish(); }

  // Shows a step, if it is time to: the live line ten times a second; every `log_seconds` a line
  // in the log, which a terminal's console does not repeat.
  void update(const StepReport& report);

  // Takes the live line away.
  void finish();

 private:
  bool live() const { return console_ != nullptr && console_->terminal(); }
  std::string line(const StepReport& report, Index width) const;
  std::string line_without(const StepReport& report, int parts) const;
  std::optional<double> seconds_left(const StepReport& report) const;
  void smooth_rate(const StepReport& report);

  std::shared_ptr<Console> console_;
  ProgressOptions options_;
  StepReport first_;  // of this process: what the time left is reckoned from
  bool started_ = false;
  double next_live_ = 0;
  double next_line_ = 0;
  double rate_ = 0;  // tokens a second
};

}  // namespace tapehead
