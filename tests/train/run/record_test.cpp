// The record of a run is written and read back.
#include "train/run/run_record.hpp"

#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(RunRecord, comes_back_as_it_was_written) {
  const TemporaryDirectory here;
  RunRecord record{.origins = {{"seed", "--set"}},
                   .starts = {{.step = 0,
                               .version = "1",
                               .processor = "p",
                               .level = "avx2",
                               .kernels = "k",
                               .threads = 2},
                              {.step = 7,
                               .version = "2",
                               .processor = "q",
                               .level = "sse4",
                               .kernels = "l",
                               .threads = 3}},
                   .end = {}};
  write_record(here / "record.json", record);
  EXPECT_FALSE(read_record(here / "record.json")->end);
  EXPECT_FALSE(read_record(here / "record.json")->peak_memory);
  const char* const tests = R"({"test": {"loss": 0.5, "loss_by_position": [{"loss": 0.25}]}})";
  record.peak_memory = 123456;
  record.end = {.step = 9, .seconds = 1.5, .tests = nlohmann::ordered_json::parse(tests)};
  write_record(here / "record.json", record);
  const auto back = read_record(here / "record.json");
  ASSERT_TRUE(back && back->end);
  EXPECT_EQ(back->origins, record.origins);
  ASSERT_EQ(back->starts.size(), 2U);
  EXPECT_EQ(back->starts[1].step, 7);
  EXPECT_EQ(back->starts[1].processor, "q");
  EXPECT_EQ(back->starts[1].level, "sse4");
  EXPECT_EQ(back->starts[1].threads, 3);
  EXPECT_EQ(back->end->step, 9);
  EXPECT_EQ(back->peak_memory, std::optional<std::size_t>(123456));
  EXPECT_EQ(back->end->seconds, 1.5);
  EXPECT_EQ(back->end->tests, record.end->tests);
}

TEST(RunRecord, that_is_missing_or_torn_is_none) {
  const TemporaryDirectory here;
  EXPECT_FALSE(read_record(here / "record.json"));
  std::ofstream(here / "record.json") << "{\"origins\": {";
  EXPECT_FALSE(read_record(here / "record.json"));
  std::ofstream(here / "record.json") << "{}";
  EXPECT_FALSE(read_record(here / "record.json"));
  for (const auto& [figure, known] : {std::pair("[{\"loss\": 1}]", true),
                                      {"[]", true},
                                      {"{}", false},
                                      {"[1]", false},
                                      {"[[]]", false},
                                      {"[{\"loss\": []}]", false}}) {
    std::ofstream(here / "record.json")
        << R"({"origins": {}, "starts": [], "end": {"step": 1, "seconds": 1, "tests": {"test": )"
        << R"({"loss_by_position": )" << figure << "}}}}";
    EXPECT_EQ(read_record(here / "record.json").has_value(), known) << figure;
  }
}

TEST(RunRecord, has_a_confusion_matrix_with_a_row_and_a_column_for_each_class) {
  const TemporaryDirectory here;
  for (const auto& [confusion, known] :
       {std::pair(R"({"classes": ["a", "b"], "counts": [[3, 0], [1, 2]]})", true),
        {R"({"classes": ["a", "b"], "counts": [[3, 0], [1]]})", false},
        {R"({"classes": ["a", "b"], "counts": [[3, 0]]})", false},
        {R"({"classes": ["a", "b"], "counts": [[3, 0], [1, -2]]})", false},
        {R"({"classes": ["a"]})", false},
        {"5", false}}) {
    std::ofstream(here / "record.json")
        << R"({"origins": {}, "starts": [], "end": {"step": 1, "seconds": 1, "tests": {"test": )"
        << R"({"confusion": )" << confusion << "}}}}";
    EXPECT_EQ(read_record(here / "record.json").has_value(), known) << confusion;
  }
}

}}  // namespace tapehead
