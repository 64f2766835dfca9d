// gradcheck never flags a correct op. And every op is broken on purpose in every way that fits it:
// the checker must notice and name the mistake.
#include <cctype>

#include "core/version.hpp"
#include "tests/core/gradcheck/mutants/study.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// "bias_activation, relu" becomes "BiasActivationRelu".
std::string test_name(const std::string& op) {
  std::string name;
  bool capital = true;
  for (const char letter : op) {
    const bool is_letter = std::isalpha(static_cast<unsigned char>(letter)) != 0;
    if (is_letter) {
      name += capital ? static_cast<char>(std::toupper(letter)) : letter;
    }
    capital = !is_letter;
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

const Study& study() {
  static const Study result = run_study();
  return result;
}

// The way in which mistakes are planted is not itself reported.
TEST(GradcheckMutants, are_right_without_their_mistake) {
  for (const OpSubject& subject : all_subjects()) {
    const Specimen specimen = specimen_of(subject);
    const GradcheckReport report =
        gradcheck(with_gradients(specimen.function, [](BackwardPass&) {}), specimen.inputs);
    EXPECT_TRUE(report.ok()) << subject.name << "\n" << report.message();
  }
}

TEST(GradcheckMutants, are_all_caught_and_get_the_right_verdict_and_kind) {
  const Totals totals = totals_of(study());
  EXPECT_GE(totals.mutants, 150);
  EXPECT_EQ(totals.caught, totals.mutants)
      << "not caught:"
      << listing(study(), "\n", [](const Outcome& outcome) { return !outcome.caught; });
  EXPECT_GE(10 * totals.named, 9 * totals.mutants)
      << "others:" << listing(study(), "\n", [](const Outcome& outcome) { return !outcome.named; });
}

// The lines that differ between two texts.
std::vector<std::string> differences(const std::string& one, const std::string& other) {
  std::vector<std::string> lines;
  std::istringstream ones(one);
  std::istringstream others(other);
  while (ones || others) {
    std::string a;
    std::string b;
    std::getline(ones, a);
    std::getline(others, b);
    if (a != b) {
      lines.push_back(fmt::format("there: {}\nnow:   {}", a, b));
    }
  }
  return lines;
}

// If TAPEHEAD_PRINT_TABLE is set, writes the document to that path instead.
TEST(GradcheckMutants, are_the_documents_table) {
  const std::filesystem::path root = TAPEHEAD_SOURCE_DIR;
  const std::string document = "docs/gradcheck-mutants.md";
  const std::string text = document_of(study());
  if (const char* path = std::getenv("TAPEHEAD_PRINT_TABLE")) {
    std::ofstream file(root / path);
    file << text;
    ASSERT_TRUE(file.flush()) << "cannot write " << root / path;
    return;
  }
  std::ifstream file(root / document);
  std::ostringstream written;
  written << file.rdbuf();
  const std::vector<std::string> lines = differences(written.str(), text);
  // Rounding decides verdicts at the edge of a bound. The document was made with AVX-512; on other
  // CPUs a few mutants get another name, each of which changes a line and the totals.
  EXPECT_LE(lines.size(), vector_instructions() == "AVX-512" ? 0U : 12U)
      << document << " is not what the mutants give now\n"
      << fmt::format("{}", fmt::join(lines, "\n")) << "\nTo print it again:\n"
      << "  TAPEHEAD_PRINT_TABLE=" << document << " ./dev test -R GradcheckMutants";
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
