// A whole model with one wiring fault: gradcheck_model or the PyTorch reference must find it.
#include "tests/nn/wiring/document.hpp"
#include "tests/nn/wiring/finders.hpp"
#include "tests/nn/wiring/harmless.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

inline std::ostream& operator<<(std::ostream& out, const Fault& fault) { return out << fault.what; }

namespace {

namespace fs = std::filesystem;

constexpr auto name_of_test = [](const auto& test) { return test.param.name; };

class RightWiring : public TestWithParam<Fault> {};

INSTANTIATE_TEST_SUITE_P(Models, RightWiring, ValuesIn(harmless_changes()), name_of_test);

TEST_P(RightWiring, leaves_both_finders_silent) {
  const auto model = right_model(GetParam().base);
  GetParam().plant(*model);
  const ModelGradcheckReport report = gradcheck_of(*model);
  EXPECT_TRUE(report.ok()) << report.message();
  EXPECT_EQ(report.parameters.size(), model->store.parameters().size());
  if (const auto reference = reference_of(GetParam().base)) {
    EXPECT_THAT(off_reference(computed(*model), *reference), IsEmpty());
    EXPECT_EQ(reference->gradients.size(), model->store.parameters().size());
  }
}

class WiringFault : public TestWithParam<Fault> {};

INSTANTIATE_TEST_SUITE_P(Models, WiringFault, ValuesIn(all_faults()), name_of_test);

TEST_P(WiringFault, is_named_by_gradcheck) {
  const auto model = right_model(GetParam().base);
  GetParam().plant(*model);
  const Said expected = to_be_said(*model, GetParam().named);
  EXPECT_EQ(expected.empty(), !found_by_gradcheck(GetParam())) << "patterns that nothing matches";
  const ModelGradcheckReport report = gradcheck_of(*model);
  EXPECT_EQ(without_key_biases(said_by(report), expected), without_key_biases(expected, expected))
      << report.message();
}

TEST_P(WiringFault, differs_from_pytorch) {
  const std::optional<Computed> reference = reference_of(GetParam().base);
  ASSERT_EQ(reference.has_value(), found_by_reference(GetParam()));
  if (!reference) {
    return;
  }
  const auto model = right_model(GetParam().base);
  GetParam().plant(*model);
  std::set<std::string> off = off_reference(computed(*model), *reference);
  if (GetParam().off == Names{"loss"}) {
    EXPECT_THAT(off, Contains("loss"));
    EXPECT_GT(off.size(), 1U) << "gradients too";
  } else {
    std::set<std::string> expected = matching(*model, GetParam().off);
    std::erase_if(off, is_key_bias);
    std::erase_if(expected, is_key_bias);
    EXPECT_EQ(off, expected);
  }
}

TEST(WiringFaults, are_many_and_each_is_found) {
  EXPECT_GE(all_faults().size(), 20U);
  for (const Fault& fault : all_faults()) {
    EXPECT_TRUE(found(fault)) << fault.name;
  }
}

// If TAPEHEAD_PRINT_TABLE is set, writes the document to that path instead.
TEST(WiringFaults, are_the_documents_table) {
  const fs::path root = TAPEHEAD_SOURCE_DIR;
  const std::string name = "docs/wiring-faults.md";
  if (const char* path = std::getenv("TAPEHEAD_PRINT_TABLE")) {
    std::ofstream file(root / path);
    file << document();
    ASSERT_TRUE(file.flush()) << "cannot write " << root / path;
    return;
  }
  std::ifstream file(root / name);
  std::ostringstream written;
  written << file.rdbuf();
  EXPECT_TRUE(written.str() == document())
      << name << " is not what the faults give now; print it again with\n"
      << "  TAPEHEAD_PRINT_TABLE=" << name << " ./dev test -R WiringFaults";
}

}  // namespace

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
