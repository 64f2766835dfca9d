// A whole model with one wiring fault: gradcheck_model or the PyTorch reference must find it.
#include <cctype>

#include "tests/nn/wiring/document.hpp"
#include "tests/nn/wiring/finders.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

inline std::ostream& operator<<(std::ostream& out, const Fault& fault) { return out << fault.what; }

namespace {

// The fault and its model in letters, digits and underscores.
constexpr auto name_of_test = [](const auto& test) {
  std::string name = fmt::format("{} {}", test.param.what, name_of(test.param.base));
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
};

// Correct models that must have no findings: each base model, whole and in shards, and the building
// blocks of faults put together correctly.
std::vector<Fault> harmless_changes() {
  std::vector<Fault> changes{
      {"projections, attention and output one by one",
       at_block("decoder.layers.1.cross", cross_attention(1, &Run::pass,
                                                          [](const Var& right, const Var&) {
                                                            return with_gradient_of(right, right);
                                                          }))},
      {"leaves handed in",
       at_block("decoder.layers.1.feed_forward", with_inner_bias_of(&Run::pass))},
      {"the gain handed in", at_block("decoder.layers.0.cross", with_gain_of(&Run::pass))},
      {"the residual sum by itself", at_block("decoder.layers.1.cross", summed_by(right_sum))},
  };
  for (const Base base :
       {Base::pre_norm, Base::post_norm, Base::tied, Base::shared, Base::dropout}) {
    changes.push_back({"nothing", [](WiredModel&) {}, {}, base});
    changes.push_back({"three shards", with(&WiredModel::shares, {1, 1, 1}), {}, base});
  }
  return changes;
}

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

TEST_P(WiringFault, is_named_by_gradcheck_and_differs_from_pytorch) {
  const Fault& fault = GetParam();
  const auto model = right_model(fault.base);
  fault.plant(*model);
  const Said expected = to_be_said(*model, fault.named);
  EXPECT_EQ(expected.empty(), !found_by_gradcheck(fault)) << "patterns that nothing matches";
  const ModelGradcheckReport report = gradcheck_of(*model);
  EXPECT_EQ(without_key_biases(said_by(report), expected), without_key_biases(expected, expected))
      << report.message();

  const std::optional<Computed> reference = reference_of(fault.base);
  ASSERT_EQ(reference.has_value(), found_by_reference(fault));
  if (!reference) {
    return;
  }
  std::set<std::string> off = off_reference(computed(*model), *reference);
  if (fault.off == Names{"loss"}) {
    EXPECT_THAT(off, AllOf(Contains("loss"), SizeIs(Gt(1U)))) << "gradients too";
  } else {
    std::set<std::string> differing = matching(*model, fault.off);
    std::erase_if(off, is_key_bias);
    std::erase_if(differing, is_key_bias);
    EXPECT_EQ(off, differing);
  }
}

// If TAPEHEAD_PRINT_TABLE is set, writes the document to that path instead.
TEST(WiringFaults, are_the_documents_table) {
  const std::filesystem::path root = TAPEHEAD_SOURCE_DIR;
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
