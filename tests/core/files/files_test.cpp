// Files: written whole or not at all, whatever stops the writer.
#include "core/files/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/errors.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tapehead {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::ptrdiff_t files_in(const fs::path& directory) {
  return std::distance(fs::directory_iterator(directory), fs::directory_iterator());
}

TEST(Files, what_is_written_is_read) {
  const TemporaryDirectory directory;
  const std::string binary("a\0b\xff\n", 5);
  write_file_atomically(directory / "file", "something longer that stood there before");
  write_file_atomically(directory / "file", binary);
  EXPECT_EQ(read_file(directory / "file"), binary);
  const std::vector<std::string_view> pieces{"one ", "", "two"};
  write_file_atomically(directory / "file", pieces);
  EXPECT_EQ(read_file(directory / "file"), "one two");
  write_file_atomically(directory / "file", "");
  EXPECT_EQ(read_file(directory / "file"), "");
  EXPECT_EQ(files_in(directory.path()), 1);
}

TEST(Files, a_file_without_a_directory_in_its_path_is_written) {
  const TemporaryDirectory directory;
  ChildProcess child([&] {
    fs::current_path(directory.path());
    write_file_atomically("file", "content");
    return 0;
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(read_file(directory / "file"), "content");
}

TEST(Files, a_file_of_unknown_size_is_read) {
  EXPECT_THAT(read_file("/proc/self/status"), HasSubstr("Name:"));
}

TEST(Files, reading_fails_with_path_and_reason) {
  const TemporaryDirectory directory;
  EXPECT_EQ(io_error_of([&] { read_file(directory / "none"); }),
            "cannot open " + (directory / "none").string() + ": No such file or directory");
  EXPECT_EQ(io_error_of([&] { read_file(directory.path()); }),
            "cannot read " + directory.path().string() + ": Is a directory");
}

TEST(Files, a_path_under_a_file_is_refused) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "file", "content");
  const fs::path below = directory / "file" / "below";
  EXPECT_EQ(io_error_of([&] { write_file_atomically(below, "x"); }),
            "cannot write " + below.string() + ": Not a directory");
  EXPECT_EQ(io_error_of([&] { make_directories(below); }),
            "cannot create " + below.string() + ": Not a directory");
}

TEST(Files, a_missing_directory_is_an_error) {
  const TemporaryDirectory directory;
  EXPECT_THAT(io_error_of([&] { write_file_atomically(directory / "none" / "file", "x"); }),
              HasSubstr("none/file: No such file or directory"));
}

// Reached through links inside the test's directory, so that no failure can replace a real device.
TEST(Files, devices_pipes_and_directories_are_never_replaced) {
  const TemporaryDirectory directory;
  fs::create_symlink("/dev/full", directory / "device");
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  for (const char* name : {"device", "pipe"}) {
    EXPECT_EQ(io_error_of([&] { write_file_atomically(directory / name, "x"); }),
              "cannot write " + (directory / name).string() + ": it is not a regular file");
  }
  EXPECT_TRUE(fs::is_fifo(directory / "pipe"));
  EXPECT_THAT(io_error_of([&] { write_file_atomically(directory.path(), "x"); }),
              HasSubstr("is not a regular file"));
}

// A limit on the size of files stands for a full disk: the write ends half-way with an error.
TEST(Files, a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "file";
  write_file_atomically(path, "old");
  ChildProcess child([&] {
    const rlimit limit{.rlim_cur = 10000, .rlim_max = 10000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    const std::string message =
        io_error_of([&] { write_file_atomically(path, std::string(100000, 'x')); });
    return message == "cannot write " + path.string() + ": File too large" ? 0 : 1;
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(files_in(directory.path()), 1);
}

bool is_uniform(const std::string& content) {
  return content.size() == 200000 &&
         std::ranges::all_of(content, [&](char c) { return c == content.front(); });
}

TEST(Files, a_writer_killed_at_any_moment_leaves_a_whole_file_or_none) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "file";
  int found = 0;
  for (int attempt = 0; attempt < 40; ++attempt) {
    ChildProcess writer([&] {
      for (char fill = 'a';; fill = fill == 'z' ? 'a' : static_cast<char>(fill + 1)) {
        write_file_atomically(path, std::string(200000, fill));
      }
      return 0;
    });
    std::this_thread::sleep_for(std::chrono::microseconds(500 + 337 * attempt));
    writer.kill();
    EXPECT_EQ(writer.wait(), 128 + SIGKILL);
    if (fs::exists(path)) {
      ++found;
      EXPECT_TRUE(is_uniform(read_file(path))) << "attempt " << attempt;
    }
  }
  EXPECT_GT(found, 0);
  remove_temporary_files(directory.path());
  EXPECT_EQ(files_in(directory.path()), 1);
}

}  // namespace
}  // namespace tapehead
