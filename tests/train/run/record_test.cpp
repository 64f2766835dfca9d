// The record of a run, written and read back.
#include "train/run/record.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_directory.hpp"

namespace tapehead {
namespace {

TEST(RunRecord, comes_back_as_it_was_written) {
  const TemporaryDirectory here;
  RunRecord record{
      .origins = {{"seed", "--set"}},
      .starts = {{.step = 0, .version = "1", .processor = "p", .kernels = "k", .threads = 2},
                 {.step = 7, .version = "2", .processor = "q", .kernels = "l", .threads = 3}},
      .end = {}};
  write_record(here / "record.json", record);
  EXPECT_FALSE(read_record(here / "record.json")->end);
  EXPECT_FALSE(read_record(here / "record.json")->peak_memory);
  record.peak_memory = 123456;
  record.end = {.step = 9, .seconds = 1.5, .tests = {{"test", {{"loss", 0.5}}}}};
  write_record(here / "record.json", record);
  const auto back = read_record(here / "record.json");
  ASSERT_TRUE(back && back->end);
  EXPECT_EQ(back->origins, record.origins);
  ASSERT_EQ(back->starts.size(), 2U);
  EXPECT_EQ(back->starts[1].step, 7);
  EXPECT_EQ(back->starts[1].processor, "q");
  EXPECT_EQ(back->starts[1].threads, 3);
  EXPECT_EQ(back->end->step, 9);
  EXPECT_EQ(back->peak_memory, std::optional<std::size_t>(123456));
  EXPECT_EQ(back->end->seconds, 1.5);
  EXPECT_EQ(back->end->tests["test"]["loss"], 0.5);
}

TEST(RunRecord, that_is_missing_or_torn_is_none) {
  const TemporaryDirectory here;
  EXPECT_FALSE(read_record(here / "record.json"));
  std::ofstream(here / "record.json") << "{\"origins\": {";
  EXPECT_FALSE(read_record(here / "record.json"));
  std::ofstream(here / "record.json") << "{}";
  EXPECT_FALSE(read_record(here / "record.json"));
}

}  // namespace
}  // namespace tapehead
