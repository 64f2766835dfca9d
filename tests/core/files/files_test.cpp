// Files are written completely or not at all, whatever stops the writer.
#include "core/files/files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "core/files/json_text.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/message_of.hpp"
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
  ChildProcess child([&] {  // a path without a directory
    fs::current_path(directory.path());
    write_file_atomically("file", "content");
    return 0;
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(read_file(directory / "file"), "content");
  EXPECT_EQ(files_in(directory.path()), 1);
}

// Makes a device, a pipe, a directory, a file, and a link to the file. The device is a link, so
// that a failure cannot replace a real one.
void make_all_kinds(const TemporaryDirectory& directory) {
  fs::create_symlink("/dev/full", directory / "device");
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  fs::create_directory(directory / "directory");
  write_file_atomically(directory / "file", "content");
  fs::create_symlink("file", directory / "link");
}

TEST(Files, reading_fails_with_path_and_reason) {
  const TemporaryDirectory directory;
  make_all_kinds(directory);
  const std::vector<std::tuple<std::string, std::string, std::string>> cases{
      {"none", "cannot open ", ": No such file or directory"},
      {"directory", "cannot read ", ": Is a directory"},
      {"device", "cannot open ", ": it is not a regular file"},
      {"pipe", "cannot open ", ": it is not a regular file"}};
  for (const auto& [name, problem, reason] : cases) {
    const fs::path file = directory / name;
    EXPECT_EQ(io_error_of([&] { read_file(file); }), problem + file.string() + reason);
  }
  EXPECT_EQ(read_file(directory / "link"), "content");
  EXPECT_THAT(read_file("/proc/self/status"), HasSubstr("Name:"));  // a file of unknown size
}

// Sparse files, which take no space on the disk.
TEST(Files, more_than_the_memory_holds_and_settings_of_any_size_are_refused) {
  const TemporaryDirectory directory;
  const fs::path plan = directory / "plan.json";
  write_file_atomically(plan, "{}");
  EXPECT_EQ(io_error_of([&] { parse_json_file(plan); }), "no error");
  fs::resize_file(plan, (std::uintmax_t{1} << 30) + 1);
  EXPECT_THAT(
      io_error_of([&] { parse_json_file(plan); }),
      AllOf(HasSubstr(plan.string()), HasSubstr("1073741825 bytes"), HasSubstr("1073741824")));
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer ends the program where memory is refused";
#endif
  fs::resize_file(plan, std::uintmax_t{1} << 42);
  EXPECT_EQ(io_error_of([&] { read_file(plan); }),
            "cannot read " + plan.string() + ": Cannot allocate memory");
}

TEST(Files, devices_pipes_and_directories_are_never_replaced_but_links_are) {
  const TemporaryDirectory directory;
  make_all_kinds(directory);
  const std::vector<std::pair<std::string, std::string>> cases{
      {"device", ": it is not a regular file"},
      {"pipe", ": it is not a regular file"},
      {"directory", ": it is not a regular file"},
      {"file/below", ": Not a directory"},
      {"none/file", ": No such file or directory"}};
  for (const auto& [name, reason] : cases) {
    const fs::path file = directory / name;
    EXPECT_EQ(io_error_of([&] { write_file_atomically(file, "x"); }),
              "cannot write " + file.string() + reason);
  }
  EXPECT_TRUE(fs::is_fifo(directory / "pipe"));
  EXPECT_EQ(io_error_of([&] { make_directories(directory / "file/below"); }),
            "cannot create " + (directory / "file/below").string() + ": Not a directory");
  write_file_atomically(directory / "link", "new");
  EXPECT_EQ(read_file(directory / "file"), "content") << "nothing is written through a link";
  EXPECT_EQ(read_file(directory / "link"), "new");
  EXPECT_FALSE(fs::is_symlink(directory / "link"));
}

// With the flags that the program opens a run's files with.
TEST(Files, nothing_is_opened_through_a_link_if_a_file_is_to_be_written) {
  const TemporaryDirectory directory;
  make_all_kinds(directory);
  fs::create_symlink("none", directory / "dangling");
  const auto refusal = [&](const std::string& name, int flags) {
    return io_error_of([&] { OpenFile(directory / name, flags | O_NOFOLLOW); });
  };
  for (const std::string name : {"link", "dangling", "device", "pipe"}) {
    const std::string why =
        (directory / name).string() +
        (name == "pipe" ? ": it is not a regular file"
                        : ": it is a symbolic link, and tapehead does not write through links; "
                          "remove the link, or replace it with the file");
    const int writing = name == "pipe" ? O_RDWR | O_CREAT : O_WRONLY | O_CREAT | O_TRUNC;
    EXPECT_EQ(refusal(name, writing), "cannot write " + why);
    EXPECT_EQ(refusal(name, O_RDONLY), "cannot open " + why);
  }
  EXPECT_NE(refusal("pipe", O_WRONLY | O_CREAT), "no error");
  EXPECT_EQ(refusal("file", O_WRONLY | O_CREAT), "no error");
  EXPECT_EQ(read_file(directory / "file"), "content");
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

// A file size limit stands in for a full disk: the write fails half-way.
TEST(Files, a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "file";
  write_file_atomically(path, "old");
  ChildProcess child([&] {
    const rlimit limit{.rlim_cur = 10000, .rlim_max = 10000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    const std::string text(100000, 'x');
    return io_error_of([&] { write_file_atomically(path, text); }) ==
                   "cannot write " + path.string() + ": File too large"
               ? 0
               : 1;
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(files_in(directory.path()), 1);
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
      const std::string content = read_file(path);
      EXPECT_TRUE(content == std::string(200000, content[0])) << "attempt " << attempt;
    }
  }
  EXPECT_GT(found, 0);
  remove_temporary_files(directory.path());
  EXPECT_EQ(files_in(directory.path()), 1);
}

TEST(DirectoryEntries, are_those_of_the_directory_alone) {
  const TemporaryDirectory here;
  fs::create_directories(here / "b/inner");
  std::ofstream(here / "a");
  EXPECT_THAT(entries_of(here.path()), UnorderedElementsAre(here / "a", here / "b"));
}

TEST(DirectoryEntries, an_error_names_the_directory) {
  const TemporaryDirectory here;
  const auto said = [&](const fs::path& path) { return io_error_of([&] { entries_of(path); }); };
  EXPECT_EQ(said(here / "none"),
            "cannot read " + (here / "none").string() + ": No such file or directory");
  ChildProcess child([&] {
    const rlimit none{.rlim_cur = 0, .rlim_max = 0};
    ::setrlimit(RLIMIT_NOFILE, &none);
    return said(here.path()) == "cannot read " + here.path().string() + ": Too many open files" ? 0
                                                                                                : 1;
  });
  EXPECT_EQ(child.wait(), 0);
}

}}  // namespace tapehead
