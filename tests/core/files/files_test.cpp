// Files are written completely or not at all, whatever stops the writer.
#include "core/files/files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "core/files/json_text.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

std::ptrdiff_t files_in(const fs::path& directory) {
  return std::distance(fs::directory_iterator(directory), fs::directory_iterator());
}

TEST(Files, what_is_written_is_read) {
  const TemporaryDirectory directory;
  const std::string binary("a\0b\xff\n", 5);
  write_file_atomically(directory / "file", "something longer that stood there before");
  write_file_atomically(directory / "file", binary);
  EXPECT_EQ(read_file(directory / "file"), binary);
  AtomicFile pieces(directory / "file");
  for (const char* const piece : {"one ", "", "two"}) {
    pieces.write(piece);
  }
  pieces.put_in_place();
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

TEST(Files, pipes_and_devices_are_not_read) {
  const TemporaryDirectory directory;
  fs::create_symlink("/dev/zero", directory / "device");
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  for (const char* name : {"device", "pipe"}) {
    const fs::path file = directory / name;
    EXPECT_EQ(io_error_of([&] { read_file(file); }),
              "cannot open " + file.string() + ": it is not a regular file");
  }
  write_file_atomically(directory / "file", "content");
  fs::create_symlink(directory / "file", directory / "link");
  EXPECT_EQ(read_file(directory / "link"), "content");
}

// A sparse file, which takes no space on the disk.
TEST(Files, more_than_the_memory_holds_is_told_with_the_file) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer ends the program where memory is refused";
#endif
  const TemporaryDirectory directory;
  write_file_atomically(directory / "large", "x");
  fs::resize_file(directory / "large", std::uintmax_t{1} << 42);
  EXPECT_EQ(io_error_of([&] { read_file(directory / "large"); }),
            "cannot read " + (directory / "large").string() + ": Cannot allocate memory");
}

TEST(Files, settings_of_any_size_are_not_read) {
  const TemporaryDirectory directory;
  const fs::path file = directory / "plan.json";
  write_file_atomically(file, "{}");
  EXPECT_EQ(io_error_of([&] { parse_json_file(file); }), "no error");
  fs::resize_file(file, (std::uintmax_t{1} << 30) + 1);
  EXPECT_EQ(io_error_of([&] { parse_json_file(file); }),
            file.string() + " has 1073741825 bytes; such a file has at most 1073741824");
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

// Uses links inside the test's directory, so that a failure cannot replace a real device.
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

// With the flags that the program opens a run's files with.
TEST(Files, nothing_is_opened_through_a_link_if_a_file_is_to_be_written) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "victim", "victim");
  fs::create_symlink("victim", directory / "link");
  fs::create_symlink("none", directory / "dangling");
  fs::create_symlink("/dev/full", directory / "device");
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  const auto refusal = [&](const char* name, int flags) {
    return io_error_of([&] { OpenFile(directory / name, flags | O_NOFOLLOW); });
  };
  for (const char* name : {"link", "dangling", "device"}) {
    const std::string why = (directory / name).string() +
                            ": it is a symbolic link, through which nothing is written; remove "
                            "it, or put the file itself in its place";
    EXPECT_EQ(refusal(name, O_WRONLY | O_CREAT | O_TRUNC), "cannot write " + why);
    EXPECT_EQ(refusal(name, O_RDONLY), "cannot open " + why);
  }
  const std::string no_file = (directory / "pipe").string() + ": it is not a regular file";
  EXPECT_EQ(refusal("pipe", O_RDWR | O_CREAT), "cannot write " + no_file);
  EXPECT_EQ(refusal("pipe", O_RDONLY), "cannot open " + no_file);
  EXPECT_NE(refusal("pipe", O_WRONLY | O_CREAT), "no error");
  EXPECT_EQ(refusal("victim", O_WRONLY | O_CREAT), "no error");
  EXPECT_EQ(read_file(directory / "victim"), "victim");
  EXPECT_FALSE(fs::exists(directory / "none"));
}

// Otherwise an attacker could put a link at that name.
TEST(Files, the_name_of_a_temporary_file_cannot_be_known_before) {
  const TemporaryDirectory directory;
  const AtomicFile one(directory / "file");
  const AtomicFile other(directory / "file");
  std::set<std::string> random;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory.path())) {
    const std::string name = entry.path().filename().string();
    EXPECT_THAT(name, MatchesRegex("file\\.[0-9a-f]{16}\\.tmp"));
    random.insert(name.substr(5, 8));
    random.insert(name.substr(13, 8));
  }
  EXPECT_EQ(random.size(), 4U);
}

TEST(Files, a_link_is_replaced_and_not_written_through) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "victim", "victim");
  fs::create_symlink("victim", directory / "link");
  write_file_atomically(directory / "link", "new");
  EXPECT_EQ(read_file(directory / "victim"), "victim");
  EXPECT_EQ(read_file(directory / "link"), "new");
  EXPECT_FALSE(fs::is_symlink(directory / "link"));
}

// A file size limit stands in for a full disk: the write fails half-way.
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

}}  // namespace tapehead
