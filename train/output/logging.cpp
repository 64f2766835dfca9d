#include "train/output/logging.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <spdlog/details/os.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/files/files.hpp"
#include "core/text.hpp"
#include "train/output/text_table.hpp"

namespace tapehead {

namespace {

constexpr std::string_view clear_line = "\r\x1b[K";  // to column 1, erase to the end of the line

// The longest beginning of a text with at most `width` code points.
std::string_view cut(std::string_view text, Index width) {
  while (text_width(text) > width) {
    text.remove_suffix(1);
  }
  return text;
}

// Calls write(text, time) for each message. A warning or an error begins with its level.
class TextSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  using Write = std::function<void(const std::string&, const spdlog::log_clock::time_point&)>;
  explicit TextSink(Write write) : write_(std::move(write)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::string_view level = message.level >= spdlog::level::err    ? "error: "
                                   : message.level == spdlog::level::warn ? "warning: "
                                                                          : "";
    const std::string_view text(message.payload.data(), message.payload.size());
    write_(std::string(level) + printable(text), message.time);
  }
  void flush_() override {}

 private:
  Write write_;
};

// The sink of the newest log file, for log_to_file_only().
std::weak_ptr<spdlog::sinks::sink>& newest_file() {
  static std::weak_ptr<spdlog::sinks::sink> file;
  return file;
}

constexpr double live_seconds = 0.1;  // between two updates of the live line
constexpr double rate_seconds = 5.0;  // over which the speed is smoothed
constexpr Index unlimited = std::numeric_limits<Index>::max();

}  // namespace

Console::Console() : Console(stderr, ::isatty(STDERR_FILENO) == 1) {}

Console::Console(std::FILE* stream, bool terminal) : stream_(stream), terminal_(terminal) {}

Console::~Console() { live(""); }

// A line that fills the last column would wrap on some terminals.
Index Console::width() const {
  winsize size{};
  const bool known = ::ioctl(::fileno(stream_), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col - 1 : 79;
}

void Console::print(std::string_view lines) {
  const std::lock_guard lock(mutex_);
  write(fmt::format("{}{}\n{}", live_.empty() ? "" : clear_line, lines, live_));
}

void Console::live(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (!terminal_ || (line.empty() && live_.empty())) {
    return;
  }
  live_ = cut(line, width());
  write(std::string(clear_line) + live_);
}

void Console::write(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream_);
  std::fflush(stream_);
}

std::shared_ptr<Console> start_logging(std::shared_ptr<Console> console) {
  auto logger = std::make_shared<spdlog::logger>(
      "tapehead", std::make_shared<TextSink>(
                      [console](const std::string& text, const auto&) { console->print(text); }));
  logger->flush_on(spdlog::level::info);
  logger->set_error_handler([console](const std::string& reason) {
    console->print("warning: a line could not be logged: " + reason);
  });
  spdlog::set_default_logger(std::move(logger));
  return console;
}

void stop_logging() {
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("tapehead", spdlog::sinks_init_list{}));
}

// Unlike spdlog's file sink, it does not follow a symbolic link.
LogFile::LogFile(const fs::path& path)
    : sink_(std::make_shared<TextSink>(
          [file = std::make_shared<OpenFile>(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW)](
              const std::string& text, const spdlog::log_clock::time_point& when) {
            const std::tm time = spdlog::details::os::localtime(spdlog::log_clock::to_time_t(when));
            file->write(fmt::format("{:%Y-%m-%d %H:%M:%S}  {}\n", time, text));
          })) {
  spdlog::default_logger()->sinks().push_back(sink_);
  spdlog::default_logger()->flush_on(spdlog::level::info);
  newest_file() = sink_;
}

LogFile::~LogFile() {
  if (sink_) {
    std::erase(spdlog::default_logger()->sinks(), sink_);
  }
}

void log_to_file_only(std::string_view line) {
  if (const spdlog::sink_ptr file = newest_file().lock()) {
    spdlog::logger("tapehead", file).info(line);
    file->flush();
  }
}

Progress::Progress(std::shared_ptr<Console> console, ProgressOptions options)
    : console_(std::move(console)), options_(options) {}

void Progress::update(const StepReport& report) {
  if (report.step_seconds > 0) {  // smooths the speed
    const double now = static_cast<double>(report.tokens) / report.step_seconds;
    const double weight = rate_ == 0 ? 1.0 : -std::expm1(-report.step_seconds / rate_seconds);
    rate_ += weight * (now - rate_);
  }
  if (!first_) {
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
std::string Progress::line(const StepReport& report, Index width, int left_out) const {
  std::string text = fmt::format("step {}", report.step);
  if (options_.total_steps) {
    text += fmt::format("/{}", *options_.total_steps);
  }
  if (left_out < 3) {
    text += fmt::format("  epoch {}", report.epoch);
  }
  text += fmt::format("  loss {:.4f}", report.loss);
  if (report.gated_heads > 0) {
    text += fmt::format("  open heads {:.1f}/{}", report.open_heads, report.gated_heads);
  }
  if (left_out < 2) {
    text += fmt::format("  lr {:.2e}", report.learning_rate);
  }
  if (left_out < 1) {
    text += fmt::format("  grad norm {:.3f}", report.gradient_norm);
  }
  text += fmt::format("  {} tokens/s", format_count(rate_));
  if (const auto left = seconds_left(report)) {
    text += fmt::format("  {} left", format_duration(*left));
  }
  return left_out < 3 && text_width(text) > width ? line(report, width, left_out + 1) : text;
}

std::optional<double> Progress::seconds_left(const StepReport& report) const {
  std::optional<double> left;
  const Index steps = report.step - first_->step;
  if (options_.total_steps && steps > 0) {
    const double per_step = (report.elapsed - first_->elapsed) / static_cast<double>(steps);
    left = per_step * static_cast<double>(std::max<Index>(*options_.total_steps - report.step, 0));
  }
  if (options_.total_seconds) {
    const double rest = std::max(*options_.total_seconds - report.elapsed, 0.0);
    left = left ? std::min(*left, rest) : rest;
  }
  return left;
}

}  // namespace tapehead
