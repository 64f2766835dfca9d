// The files that a command reads, told apart by what they are and not by their names, so that
// nothing that it writes is one of them.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/files/open_file.hpp"

namespace tapehead {

class InputFiles {
 public:
  // A file by its path. One that is not there cannot be lost.
  void add(const std::filesystem::path& path);
  void add(std::span<const std::filesystem::path> paths);

  // An open file and the name that messages give it: standard input, say, which may have been
  // redirected.
  void add(int descriptor, const std::string& name);

  // Throws IoError where the output is one of them: by another spelling, a link, or a descriptor.
  void expect_other(const std::filesystem::path& output) const;
  void expect_other(int descriptor, const std::string& output) const;

  // Those that were given by their paths.
  const std::vector<std::filesystem::path>& paths() const { return paths_; }

 private:
  // Of a regular file only: nothing is lost when a terminal, a pipe or a device is read and
  // written.
  struct Identity {
    dev_t device;
    ino_t number;
    bool operator==(const Identity&) const = default;
  };
  struct Input {
    std::string name;
    Identity identity;
  };
  static std::optional<Identity> identity_of(const std::filesystem::path& path);
  static std::optional<Identity> identity_of(int descriptor);
  void add(std::optional<Identity> identity, const std::string& name);
  void expect_other(std::optional<Identity> identity, const std::string& output) const;

  std::vector<std::filesystem::path> paths_;
  std::vector<Input> inputs_;
};

// Opens a file to write it anew, from its beginning. One of the inputs is refused as it is. Throws
// IoError.
OpenFile open_output(const std::filesystem::path& path, const InputFiles& inputs);

}  // namespace tapehead
