// Logging: spdlog's default logger writes to the console and, once there is a run, to its log.txt.
// Progress shows the state of the training, as one live line on a terminal or as a plain line every
// few seconds.
#pragma once

#include "core/prelude.hpp"

#include <cstdio>
#include <mutex>

#include <spdlog/common.h>

namespace tapehead {

// The console: lines that stay and, on a terminal, one live line below them that is rewritten in
// place.
class Console : NotCopied {
 public:
  // Writes to stderr and finds out whether stderr is a terminal.
  Console();
  Console(std::FILE* stream, bool terminal);
  ~Console();  // removes the live line

  bool terminal() const { return terminal_; }

  // The largest number of characters in the live line.
  Index width() const;

  // Prints lines that stay, above the live line. May be called from any thread.
  void print(std::string_view lines);

  // Replaces the live line, which is cut to the terminal's width. An empty line removes it. Does
  // nothing without a terminal.
  void live(std::string_view line);

 private:
  void write(std::string_view text);

  std::mutex mutex_;
  std::FILE* stream_;
  bool terminal_;
  std::string live_;
};

// From now on spdlog::info, warn and error write plain messages to the console; warnings and errors
// begin with their level. Returns the console.
std::shared_ptr<Console> start_logging(
    std::shared_ptr<Console> console = std::make_shared<Console>());

// From now on spdlog's messages are dropped, because another process writes the same messages.
void stop_logging();

// While an object of this class exists, log messages also go to its file, with date and time on
// each line. The old content of the file stays.
class LogFile {
 public:
  explicit LogFile(const fs::path& path);  // throws IoError
  LogFile(LogFile&&) noexcept = default;
  LogFile& operator=(LogFile&&) = delete;
  ~LogFile();

 private:
  spdlog::sink_ptr sink_;
};

// Writes a line only to the newest log file: the console shows it as its live line.
void log_to_file_only(std::string_view line);

struct StepReport {
  Index step = 0;  // counted from 1
  Index epoch = 0;
  double loss = 0;
  double learning_rate = 0;
  double gradient_norm = 0;
  double open_heads = 0;    // expected number of open heads among the heads with gates
  Index gated_heads = 0;    // 0: not reported
  Index tokens = 0;         // of this step
  double step_seconds = 0;  // of this step alone, without evaluations and checkpoints
  double elapsed = 0;       // seconds of training in total, including those before a resume
};

struct ProgressOptions {
  std::optional<Index> total_steps;     // at which the training ends, if known
  std::optional<double> total_seconds;  // likewise; the earlier end counts
  double log_seconds = 5;               // between plain lines
};

class Progress : NotCopied {
 public:
  // `console`: null for none.
  Progress(std::shared_ptr<Console> console, ProgressOptions options);
  ~Progress() { finish(); }

  // Updates the live line ten times a second, and logs a line every `log_seconds` seconds. With a
  // live line, the logged line goes only to the file.
  void update(const StepReport& report);

  // Removes the live line.
  void finish();

 private:
  bool live() const { return console_ != nullptr && console_->terminal(); }
  std::string line(const StepReport& report, Index width, int left_out = 0) const;
  std::optional<double> seconds_left(const StepReport& report) const;

  std::shared_ptr<Console> console_;
  ProgressOptions options_;
  std::optional<StepReport> first_;  // of this process; the remaining time is estimated from it
  double next_live_ = 0;
  double next_line_ = 0;
  double rate_ = 0;  // tokens per second
};

}  // namespace tapehead
