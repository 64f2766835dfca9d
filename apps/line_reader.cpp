#include "apps/line_reader.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/errors.hpp"

namespace tapehead {

namespace {

constexpr int pause_milliseconds = 20;
constexpr int for_ever = -1;

}  // namespace

std::vector<std::string> LineReader::next(Index most) {
  std::vector<std::string> lines;
  while (static_cast<Index>(lines.size()) < most) {
    if (take_line(lines)) {
      continue;
    }
    if (ended_ || !readable(lines.empty() ? for_ever : pause_milliseconds)) {
      break;
    }
    fill();
  }
  return lines;
}

bool LineReader::take_line(std::vector<std::string>& lines) {
  const std::size_t newline = buffer_.find('\n');
  if (newline == std::string::npos && (!ended_ || buffer_.empty())) {
    return false;
  }
  std::string line = buffer_.substr(0, newline);
  buffer_.erase(0, newline == std::string::npos ? buffer_.size() : newline + 1);
  if (line.ends_with('\r')) {
    line.pop_back();
  }
  lines.push_back(std::move(line));
  return true;
}

bool LineReader::readable(int milliseconds) const {
  pollfd waiting{.fd = file_, .events = POLLIN, .revents = 0};
  int ready = -1;
  do {
    ready = poll(&waiting, 1, milliseconds);
  } while (ready < 0 && errno == EINTR);
  return ready != 0;
}

void LineReader::fill() {
  std::array<char, 65536> chunk{};
  ssize_t count = -1;
  do {
    count = read(file_, chunk.data(), chunk.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) {
    throw IoError(fmt::format("cannot read the input: {}", std::strerror(errno)));
  }
  ended_ = count == 0;
  buffer_.append(chunk.data(), static_cast<std::size_t>(count));
}

}  // namespace tapehead
