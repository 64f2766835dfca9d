// Files never get the descriptors of closed standard streams; stream failures are reported.
#include "core/files/input_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "tests/support/child_process.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(StandardStreams, closed_ones_stay_of_no_use_and_become_no_file) {
  ChildProcess child([] {
    for (const int descriptor : {0, 1, 2}) {
      ::close(descriptor);
    }
    open_closed_streams();
    const bool free = ::open("/dev/null", O_RDONLY) > 2;
    char byte = 0;
    const bool unread = ::read(0, &byte, 1) < 0 && errno == EBADF;
    const bool unwritten = ::write(1, &byte, 1) < 0 && errno == EBADF;
    return free && unread && unwritten && ::write(2, &byte, 1) == 1 ? 0 : 1;
  });
  EXPECT_EQ(child.wait(), 0);
}

TEST(StandardStreams, one_that_is_closed_is_taken_and_the_others_stay) {
  ChildProcess child([] {
    const int pipe_end = ::dup(2);
    ::close(1);
    open_closed_streams();
    return ::fcntl(1, F_GETFD) >= 0 && ::fcntl(2, F_GETFL) == ::fcntl(pipe_end, F_GETFL) ? 0 : 1;
  });
  EXPECT_EQ(child.wait(), 0);
}

TEST(StandardStreams, output_that_cannot_be_written_is_an_error_now_or_at_the_end) {
  for (const std::size_t size : {std::size_t{10}, std::size_t{1} << 20}) {
    ChildProcess child([size] {
      ::dup2(::open("/dev/full", O_WRONLY), 1);
      const std::string said = io_error_of([size] {
        write_output(std::string(size, 'x'));
        flush_output();
      });
      return said == "cannot write the output: No space left on device" ? 0 : 1;
    });
    EXPECT_EQ(child.wait(), 0) << size;
  }
}

TEST(StandardStreams, what_failed_before_is_not_forgotten_at_the_end) {
  ChildProcess child([] {
    const int output = ::dup(1);
    ::dup2(::open("/dev/full", O_WRONLY), 1);
    std::fputs("lost", stdout);
    std::fflush(stdout);
    ::dup2(output, 1);
    std::setvbuf(stdout, nullptr, _IONBF, 0);  // drops the rest of the buffer
    return io_error_of([] { flush_output(); }) == "no error" ? 1 : 0;
  });
  EXPECT_EQ(child.wait(), 0);
}

TEST(StandardStreams, a_message_that_cannot_be_written_is_no_error) {
  ChildProcess child([] {
    ::dup2(::open("/dev/full", O_WRONLY), 2);
    write_message(std::string(100000, 'x'));
    return 0;
  });
  EXPECT_EQ(child.wait(), 0);
}

}}  // namespace tapehead
