// The entries of a directory; errors name the directory.
#include "core/files/files.hpp"

#include <sys/resource.h>

#include "tests/support/child_process.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

TEST(DirectoryEntries, are_those_of_the_directory_alone) {
  const TemporaryDirectory here;
  fs::create_directories(here / "b/inner");
  std::ofstream(here / "a");
  std::vector<fs::path> entries = entries_of(here.path());
  std::ranges::sort(entries);
  EXPECT_EQ(entries, (std::vector<fs::path>{here / "a", here / "b"}));
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
