// The standard streams and the input files of a command. Failed writes are reported, and a command
// never overwrites a file that it reads.
#pragma once

#include <sys/types.h>

#include "core/files/files.hpp"

namespace tapehead {

// Opens the descriptors 0, 1 and 2 if they are closed, so that no later file gets their number.
// They stay unusable: reading from 0 and writing to 1 fail, and text written to 2 is discarded.
// Throws IoError.
void open_closed_streams();

// Writes to standard output, which may be buffered until `flush_output`. Hidden characters are
// escaped (`visible`). Throws IoError.
void write_output(std::string_view text);

// write_output, but the text keeps its bytes, unless they would go to a terminal.
void write_exactly(std::string_view text);

// Throws IoError if any of the output could not be written.
void flush_output();

// Writes to standard error, with hidden characters escaped. Failures are ignored, since they cannot
// be reported anywhere.
void write_message(std::string_view text);

class InputFiles {
 public:
  // Device and inode. Only regular files have an identity: to read and write the same terminal,
  // pipe or device loses nothing.
  using Identity = std::pair<dev_t, ino_t>;

  void add(const fs::path& path);
  void add(std::span<const fs::path> paths);

  // An open file, such as standard input, under the name that messages give it.
  void add(int descriptor, const std::string& name);

  // Throws IoError if the output is one of the inputs, even under another spelling, through a link,
  // or as an open descriptor.
  void expect_other(const fs::path& output) const;
  void expect_other(int descriptor, const std::string& output) const;

  // The inputs that were given by their paths.
  const std::vector<fs::path>& paths() const { return paths_; }

 private:
  struct Input {
    std::string name;
    std::optional<Identity> identity;
  };
  void expect_other(std::optional<Identity> identity, const std::string& output) const;

  std::vector<fs::path> paths_;
  std::vector<Input> inputs_;
};

// Opens a file for writing and empties it. Throws IoError. An input file is rejected before it is
// emptied.
OpenFile open_output(const fs::path& path, const InputFiles& inputs);

}  // namespace tapehead
