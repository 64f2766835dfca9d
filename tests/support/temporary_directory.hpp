// An empty directory for one test, removed with its contents at the end.
#pragma once

#include <unistd.h>

#include <atomic>
#include <system_error>

#include "tests/support/testing.hpp"

namespace tapehead {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    static std::atomic<int> count = 0;
    path_ =
        std::filesystem::path(TempDir()) / fmt::format("tapehead-test-{}-{}", ::getpid(), count++);
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }
  // Writes a file and returns its path.
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tapehead
