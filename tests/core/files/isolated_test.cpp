// isolated() passes on results and exceptions of its work; a crash of the work ends only the child.
#include "core/files/process.hpp"

#include <csignal>
#include <cstdio>

#include "tests/support/message_of.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

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

TEST(Isolated, what_it_throws_is_thrown_here) {
  EXPECT_EQ(message_of<DataError>(
                [] { isolated([]() -> std::string { throw DataError("line 3 is empty"); }); }),
            "line 3 is empty");
}

TEST(Isolated, its_end_is_told) {
  EXPECT_EQ(message_of<IsolatedEnd>([] { isolated([]() -> std::string { std::exit(255); }); }),
            "exit code 255");
  EXPECT_THAT(message_of<IsolatedEnd>([] {
                isolated([] {
                  std::raise(SIGKILL);
                  return std::string();
                });
              }),
              HasSubstr("signal 9"));
  EXPECT_EQ(message_of<IsolatedEnd>([] {
              isolated([]() -> std::string { std::_Exit(0); });  // exit code 0, but no result
            }),
            "exit code 0");
}

}}  // namespace tapehead
