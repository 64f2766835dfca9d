#include "train/output/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include "train/output/format.hpp"

namespace tapehead {

namespace {

constexpr std::string_view clear_line = "\r\x1b[K";  // to column 1, erase to the end of the line

Index terminal_width(std::FILE* stream) {
  winsize size{};
  const bool known = ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

// The longest beginning of a text with at most `width` code points.
std::string_view cut(std::string_view text, Index width) {
  while (text_width(text) > width) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

Console::Console() : Console(stderr, ::isatty(STDERR_FILENO) == 1) {}

Console::Console(std::FILE* stream, bool terminal) : stream_(stream), terminal_(terminal) {}

Console::~Console() { live(""); }

// A line that fills the last column would wrap on some terminals.
Index Console::width() const { return terminal_width(stream_) - 1; }

void Console::print(std::string_view lines) {
  const std::lock_guard lock(mutex_);
  std::string text;
  if (!live_.empty()) {
    text += clear_line;
  }
  text += lines;
  text += '\n';
  text += live_;
  write(text);
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

}  // namespace tapehead
