// An input file is recognised by any path, link or descriptor, and is never used as an output.
// Files never get the descriptors of closed standard streams; stream failures are reported.
// isolated() passes on results and exceptions of its work; a crash of the work ends only the child.
#include "core/files/input_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "core/files/process.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/program.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class InputFilesTest : public Test {
 protected:
  void SetUp() override {
    std::ofstream(here / "in") << "dear";
    std::ofstream(here / "out") << "old";
    fs::create_directory(here / "sub");
    fs::create_symlink(here / "in", here / "symlink");
    fs::create_hard_link(here / "in", here / "hardlink");
    inputs.add(here / "in");
  }

  TemporaryDirectory here;
  InputFiles inputs;
};

TEST_F(InputFilesTest, every_name_of_an_input_is_refused_as_it_is) {
  for (const std::string name : {"in", "sub/../in", "./in", "symlink", "hardlink"}) {
    EXPECT_THAT(io_error_of([&] { open_output(here / name, inputs); }),
                AllOf(HasSubstr("cannot write to " + (here / name).string()),
                      HasSubstr((here / "in").string() + ", which is read")));
    EXPECT_NE(io_error_of([&] { inputs.expect_other(here / name); }), "no error") << name;
    EXPECT_EQ(content_of(here / "in"), "dear");
  }
}

TEST_F(InputFilesTest, an_open_input_is_known_by_its_descriptor) {
  const OpenFile opened(here / "out", O_RDONLY);
  inputs.add(opened.descriptor(), "standard input");
  EXPECT_THAT(io_error_of([&] { open_output(here / "out", inputs); }),
              HasSubstr("standard input, which is read"));
  EXPECT_EQ(content_of(here / "out"), "old");
  const OpenFile appended(here / "hardlink", O_WRONLY | O_APPEND);
  EXPECT_THAT(io_error_of([&] { inputs.expect_other(appended.descriptor(), "standard output"); }),
              HasSubstr("cannot write to standard output"));
}

TEST_F(InputFilesTest, another_file_is_written_from_its_beginning) {
  inputs.add(here / "nowhere");  // what is not there, or no regular file, can be both
  inputs.add("/dev/null");
  EXPECT_EQ(io_error_of([&] { open_output("/dev/null", inputs).write("x"); }), "no error");
  for (const char* const name : {"out", "new", "nowhere"}) {
    EXPECT_EQ(io_error_of([&] { open_output(here / name, inputs).write("x"); }), "no error");
    EXPECT_EQ(content_of(here / name), "x");
  }
  EXPECT_EQ(content_of(here / "in"), "dear");
}

// Runs `passes` in a child process, whose streams it may change.
template <class Body>
void expect_in_child(const Body& passes) {
  EXPECT_EQ(ChildProcess([&] { return passes() ? 0 : 1; }).wait(), 0);
}

void write_to_full_device(int stream) { ::dup2(::open("/dev/full", O_WRONLY), stream); }

TEST(StandardStreams, closed_ones_stay_of_no_use_and_become_no_file) {
  expect_in_child([] {
    for (const int descriptor : {0, 1, 2}) {
      ::close(descriptor);
    }
    open_closed_streams();
    const bool free = ::open("/dev/null", O_RDONLY) > 2;
    char byte = 0;
    const bool unread = ::read(0, &byte, 1) < 0 && errno == EBADF;
    const bool unwritten = ::write(1, &byte, 1) < 0 && errno == EBADF;
    return free && unread && unwritten && ::write(2, &byte, 1) == 1;
  });
  expect_in_child([] {  // one that is closed is taken, and the others stay
    const int pipe_end = ::dup(2);
    ::close(1);
    open_closed_streams();
    return ::fcntl(1, F_GETFD) >= 0 && ::fcntl(2, F_GETFL) == ::fcntl(pipe_end, F_GETFL);
  });
}

TEST(StandardStreams, output_that_cannot_be_written_is_an_error_now_or_at_the_end) {
  for (const std::size_t size : {std::size_t{10}, std::size_t{1} << 20}) {
    SCOPED_TRACE(size);
    expect_in_child([size] {
      write_to_full_device(1);
      return io_error_of([size] {
               write_output(std::string(size, 'x'));
               flush_output();
             }) == "cannot write the output: No space left on device";
    });
  }
  expect_in_child([] {  // what failed before is not forgotten at the end
    const int output = ::dup(1);
    write_to_full_device(1);
    std::fputs("lost", stdout);
    std::fflush(stdout);
    ::dup2(output, 1);
    std::setvbuf(stdout, nullptr, _IONBF, 0);  // drops the rest of the buffer
    return io_error_of([] { flush_output(); }) != "no error";
  });
  expect_in_child([] {  // a message that cannot be written is no error
    write_to_full_device(2);
    write_message(std::string(100000, 'x'));
    return true;
  });
}

TEST(Isolated, gives_back_what_the_work_returns) {
  EXPECT_EQ(isolated([] { return std::string(); }), "");
  const std::string bytes(1'000'000, '\0');  // more than a pipe's buffer
  EXPECT_EQ(isolated([&] { return bytes + "end"; }), bytes + "end");
}

TEST(Isolated, changes_and_prints_nothing_here) {
  int changed = 0;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  std::fputs("waiting", stdout);
  isolated([&] {
    changed = 1;
    std::puts("noise");
    std::fputs("noise", stderr);
    return std::string();
  });
  EXPECT_EQ(changed, 0);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "waiting");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Isolated, what_it_throws_and_its_end_are_told) {
  EXPECT_EQ(message_of<DataError>(
                [] { isolated([]() -> std::string { throw DataError("line 3 is empty"); }); }),
            "line 3 is empty");
  using Work = std::function<std::string()>;
  const std::vector<std::pair<Work, Matcher<std::string>>> cases{
      {[]() -> std::string { std::exit(255); }, "exit code 255"},
      {[]() -> std::string { std::_Exit(0); }, "exit code 0"},  // but no result
      {[] { return std::to_string(std::raise(SIGKILL)); }, HasSubstr("signal 9")}};
  for (const auto& [work, end] : cases) {
    EXPECT_THAT(message_of<IsolatedEnd>([&work = work] { isolated(work); }), end);
  }
}

}}  // namespace tapehead
