// gradcheck never flags a correct op: tests every op with new inputs, cotangent and dropout for
// each of a thousand seeds.
#include <cctype>

#include "tests/core/gradcheck/mutants/seeds.hpp"
#include "tests/core/gradcheck/mutants/subjects.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

std::string test_name(const std::string& op) {
  std::string name;
  bool capital = true;
  for (const char letter : op) {
    if (std::isalpha(static_cast<unsigned char>(letter)) != 0) {
      name +=
          capital ? static_cast<char>(std::toupper(static_cast<unsigned char>(letter))) : letter;
    }
    capital = std::isalpha(static_cast<unsigned char>(letter)) == 0;
  }
  return name;
}

class CorrectOp : public TestWithParam<OpSubject> {};

INSTANTIATE_TEST_SUITE_P(Ops, CorrectOp, ValuesIn(all_subjects()),
                         [](const auto& test) { return test_name(test.param.name); });

TEST_P(CorrectOp, passes_for_every_seed) {
  for (std::uint64_t seed = 1; seed <= seeds_without_alarm; ++seed) {
    const GradcheckReport report =
        gradcheck(GetParam().function(seed), inputs_of(GetParam(), seed), {.seed = seed});
    ASSERT_TRUE(report.ok()) << "with seed " << seed << "\n" << report.message();
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
