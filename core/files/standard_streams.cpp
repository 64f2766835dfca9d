#include "core/files/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "core/files/open_file.hpp"

namespace tapehead {

namespace {

IoError output_error(int code) {
  const std::string reason = code == 0 ? "" : ": " + std::generic_category().message(code);
  return IoError("cannot write the output" + reason);
}

}  // namespace

void open_closed_streams() {
  // Opened in the wrong direction, so that an empty input or lost output is not taken for success.
  constexpr std::array<int, 3> ways{O_WRONLY, O_RDONLY, O_WRONLY};
  for (int descriptor = 0; descriptor < static_cast<int>(ways.size()); ++descriptor) {
    // open(2) gives the lowest number that is free: this one, since those below are open by now.
    if (::fcntl(descriptor, F_GETFD) < 0 &&
        ::open("/dev/null", ways[static_cast<std::size_t>(descriptor)]) != descriptor) {
      throw io_error("open", "/dev/null", errno);
    }
  }
}

void write_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    throw output_error(errno);
  }
}

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw output_error(errno);
  }
}

void write_message(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace tapehead
