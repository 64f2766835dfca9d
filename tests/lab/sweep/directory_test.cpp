// The directory of a sweep: what is resumed, removed and rejected.
#include "lab/sweep/directory.hpp"

#include "core/files/files.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

TEST(SweepDirectory, what_killed_processes_left_is_removed) {
  const TemporaryDirectory here;
  lock_sweep(here / "s");
  for (const char* name : {"sweep.json.1-1.tmp", ".shared-0123456789abcdef.tmp", "notes"}) {
    write_file_atomically(here / "s" / name, "");
  }
  lock_sweep(here / "s");
  EXPECT_TRUE(fs::exists(here / "s" / "notes"));
  for (const fs::directory_entry& entry : fs::directory_iterator(here / "s")) {
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  }
}

TEST(SweepDirectory, a_lock_behind_a_link_is_refused) {
  const TemporaryDirectory here;
  lock_sweep(here / "s");
  fs::rename(here / "s" / ".sweep.lock", here / "victim");
  const std::string before = read_file(here / "victim");
  fs::create_symlink("../victim", here / "s" / ".sweep.lock");
  EXPECT_THAT(io_error_of([&] { lock_sweep(here / "s"); }),
              HasSubstr(".sweep.lock: it is a symbolic link"));
  EXPECT_EQ(read_file(here / "victim"), before);
}

}}  // namespace tapehead
