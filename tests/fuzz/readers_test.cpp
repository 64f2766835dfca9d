// Every reader of files takes any bytes. Here it gets the files in tests/fixtures/fuzz, whole and
// damaged. `./dev prove fuzz` gives it what libFuzzer makes of these files, under sanitizers.
#include "tests/fuzz/readers.hpp"
#include "tests/support/mutations.hpp"
#include "tests/support/program.hpp"
#include "tests/support/proof.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

class FuzzedReaders : public TestWithParam<FuzzedReader> {};

TEST_P(FuzzedReaders, take_any_bytes) {
  const BytesForReader reader(GetParam());
  Choices choices(1);
  Json told;
  std::size_t accepted = 0;
  for (const fs::path& file : entries_of(fs::path(TAPEHEAD_FIXTURES) / "fuzz" / GetParam().name)) {
    SCOPED_TRACE(file);
    const std::string bytes = content_of(file);
    EXPECT_EQ(reader.complaint(bytes), "");
    told = reader.tell(bytes);
    accepted += told.count("value");
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(reader.complaint(damaged_text(bytes, choices)), "");
    }
  }
  EXPECT_GT(accepted, 0U) << told;
}

INSTANTIATE_TEST_SUITE_P(, FuzzedReaders, ValuesIn(fuzzed_readers),
                         [](const auto& reader) { return std::string(reader.param.name); });

TEST(ProveFuzz, finds_nothing_wrong_in_a_share_of_twenty_minutes) {
  if (proof_figures() == nullptr) {
    GTEST_SKIP() << "FuzzedReaders are the sample";
  }
  const auto live_an_hour = [] { ::alarm(3600); };  // other programs of tests end sooner
  const ProgramResult result =
      Program({TAPEHEAD_SOURCE_DIR "/dev", "fuzz", "all", "--minutes", "20"}, ".", "/usr/bin/env",
              live_an_hour)
          .wait();
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  tell_figures("fuzz: " + lines_of(result.output).back());
}

}}  // namespace tapehead
