#include "core/files/input_output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "core/text.hpp"

namespace tapehead {

namespace {

IoError output_error(int code) {
  const std::string reason = code == 0 ? "" : ": " + std::generic_category().message(code);
  return IoError("cannot write the output" + reason);
}

void write_bytes(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    throw output_error(errno);
  }
}

std::optional<InputFiles::Identity> identity_of(int descriptor) {
  struct stat status{};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)
             ? std::optional(std::pair(status.st_dev, status.st_ino))
             : std::nullopt;
}

std::optional<InputFiles::Identity> identity_of(const fs::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)
             ? std::optional(std::pair(status.st_dev, status.st_ino))
             : std::nullopt;
}

}  // namespace

void open_closed_streams() {
  // Input and output are opened in the wrong direction: their use fails rather than seems to work.
  constexpr std::array<int, 3> ways{O_WRONLY, O_RDONLY, O_WRONLY};
  for (int descriptor = 0; descriptor < static_cast<int>(ways.size()); ++descriptor) {
    // open(2) returns the lowest free number: this one, since the lower ones are open by now.
    if (::fcntl(descriptor, F_GETFD) < 0 &&
        ::open("/dev/null", ways[static_cast<std::size_t>(descriptor)]) != descriptor) {
      throw io_error("open", "/dev/null", errno);
    }
  }
}

void write_output(std::string_view text) { write_bytes(visible(text)); }

void write_exactly(std::string_view text) {
  ::isatty(STDOUT_FILENO) == 1 ? write_output(text) : write_bytes(text);
}

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw output_error(errno);
  }
}

void write_message(std::string_view text) { std::fputs(visible(text).c_str(), stderr); }

void InputFiles::add(const fs::path& path) {
  paths_.push_back(path);
  inputs_.push_back({path.string(), identity_of(path)});
}

void InputFiles::add(std::span<const fs::path> paths) {
  for (const fs::path& path : paths) {
    add(path);
  }
}

void InputFiles::add(int descriptor, const std::string& name) {
  inputs_.push_back({name, identity_of(descriptor)});
}

void InputFiles::expect_other(const fs::path& output) const {
  expect_other(identity_of(output), output.string());
}

void InputFiles::expect_other(int descriptor, const std::string& output) const {
  expect_other(identity_of(descriptor), output);
}

void InputFiles::expect_other(std::optional<Identity> identity, const std::string& output) const {
  const auto input = std::ranges::find(inputs_, identity, &Input::identity);
  if (identity && input != inputs_.end()) {
    const std::string same_file =
        output == input->name ? "" : fmt::format(": it is the same file as {}", input->name);
    throw IoError("cannot write to {}{}, which is read; name another file", output, same_file);
  }
}

OpenFile open_output(const fs::path& path, const InputFiles& inputs) {
  OpenFile file(path, O_WRONLY | O_CREAT);
  inputs.expect_other(file.descriptor(), path.string());
  if (identity_of(file.descriptor()) && ::ftruncate(file.descriptor(), 0) != 0) {
    throw io_error("write", path, errno);
  }
  return file;
}

}  // namespace tapehead
