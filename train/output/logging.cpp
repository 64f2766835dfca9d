#include "train/output/logging.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <spdlog/details/os.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/files/open_file.hpp"
#include "core/shown.hpp"
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

std::string_view level_prefix(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::warn:
      return "warning: ";
    case spdlog::level::err:
    case spdlog::level::critical:
      return "error: ";
    default:
      return "";
  }
}

// The message, preceded by its level if it is a warning or an error.
std::string text_of(const spdlog::details::log_msg& message) {
  const std::string_view text(message.payload.data(), message.payload.size());
  return std::string(level_prefix(message.level)) + printable(text);
}

class ConsoleSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit ConsoleSink(std::shared_ptr<Console> console) : console_(std::move(console)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    console_->print(text_of(message));
  }
  void flush_() override {}

 private:
  std::shared_ptr<Console> console_;
};

// Unlike spdlog's own, it appends to no file through a link.
class FileSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FileSink(const std::filesystem::path& path)
      : file_(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::tm time = spdlog::details::os::localtime(spdlog::log_clock::to_time_t(message.time));
    file_.write(fmt::format("{:%Y-%m-%d %H:%M:%S}  {}\n", time, text_of(message)));
  }
  void flush_() override {}

 private:
  OpenFile file_;
};

// The sink for lines that only go to the file.
std::weak_ptr<spdlog::sinks::sink>& newest_file() {
  static std::weak_ptr<spdlog::sinks::sink> file;
  return file;
}

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

void start_logging(std::shared_ptr<Console> console) {
  auto sink = std::make_shared<ConsoleSink>(console);
  auto logger = std::make_shared<spdlog::logger>("tapehead", std::move(sink));
  logger->flush_on(spdlog::level::info);
  logger->set_error_handler([console = std::move(console)](const std::string& reason) {
    console->print("warning: a line could not be logged: " + reason);
  });
  spdlog::set_default_logger(std::move(logger));
}

void stop_logging() {
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("tapehead", spdlog::sinks_init_list{}));
}

LogFile::LogFile(const std::filesystem::path& path) : sink_(std::make_shared<FileSink>(path)) {
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

}  // namespace tapehead
