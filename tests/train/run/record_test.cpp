// The record of a run is written and read back.
#include "train/run/run_record.hpp"

#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(RunRecord, comes_back_as_it_was_written) {
  const TemporaryDirectory here;
  const RunStart start{.step = 7,
                       .version = "2",
                       .processor = "q",
                       .level = "sse4",
                       .kernels = "l",
                       .precision = "bfloat16",
                       .unit = "plain",
                       .threads = 3};
  RunRecord record{.origins = {{"seed", "--set"}}, .starts = {start, start}, .end = {}};
  record.starts[0].step = 0;
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
  EXPECT_EQ(back->starts[0].step, 0);
  EXPECT_EQ(back->starts[1].step, 7);
  EXPECT_EQ(back->starts[1].processor, "q");
  EXPECT_EQ(back->starts[1].level, "sse4");
  EXPECT_EQ(back->starts[1].precision, "bfloat16");
  EXPECT_EQ(back->starts[1].unit, "plain");
  EXPECT_EQ(back->starts[1].threads, 3);
  EXPECT_EQ(back->peak_memory, record.peak_memory);
  EXPECT_EQ(back->end->step, 9);
  EXPECT_EQ(back->end->seconds, 1.5);
  EXPECT_EQ(back->end->tests, record.end->tests);
}

TEST(RunRecord, that_is_missing_torn_or_malformed_is_none) {
  const TemporaryDirectory here;
  EXPECT_FALSE(read_record(here / "record.json"));
  const auto reads = [&](const std::string& text) {
    std::ofstream(here / "record.json") << text;
    return read_record(here / "record.json").has_value();
  };
  EXPECT_FALSE(reads("{\"origins\": {"));
  EXPECT_FALSE(reads("{}"));
  // A confusion matrix has a row and a column for each class.
  for (const auto& [figure, known] :
       {std::pair(R"("loss_by_position": [{"loss": 1}])", true),
        {R"("loss_by_position": [])", true},
        {R"("loss_by_position": {})", false},
        {R"("loss_by_position": [1])", false},
        {R"("loss_by_position": [[]])", false},
        {R"("loss_by_position": [{"loss": []}])", false},
        {R"("confusion": {"classes": ["a", "b"], "counts": [[3, 0], [1, 2]]})", true},
        {R"("confusion": {"classes": ["a", "b"], "counts": [[3, 0], [1]]})", false},
        {R"("confusion": {"classes": ["a", "b"], "counts": [[3, 0]]})", false},
        {R"("confusion": {"classes": ["a", "b"], "counts": [[3, 0], [1, -2]]})", false},
        {R"("confusion": {"classes": ["a"]})", false},
        {R"("confusion": 5)", false}}) {
    EXPECT_EQ(reads(R"({"origins": {}, "starts": [], "end": {"step": 1, "seconds": 1, "tests": )"
                    R"({"test": {)" +
                    std::string(figure) + "}}}}"),
              known)
        << figure;
  }
}

}}  // namespace tapehead
