// Which of a model's gates are closed.
#include "lab/removal/head_importance.hpp"

#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// A settled gate is 0 for log_alpha <= -log 11 = -2.3979.
TEST(GatedHeads, are_closed_where_the_gate_is_nothing_and_not_where_it_is_little) {
  Config config;
  config.model = tiny_options();
  config.model.cross.gates.values = {HeadGating::l0};
  Model model(config, tiny_vocabulary, tiny_vocabulary);
  for (const NamedParameter& parameter : model.store.parameters()) {
    if (parameter.name.ends_with(".gates")) {
      Tensor log_alpha = model.store.value(parameter);
      log_alpha.data()[0] = -2.40;
      log_alpha.data()[1] = -2.39;
    }
  }
  const std::vector<GatedHead> heads = gated_heads(model);
  ASSERT_EQ(heads.size(), 2U);
  EXPECT_EQ(heads[0].gate, 0);
  EXPECT_GT(heads[1].gate, 0);
  EXPECT_LT(heads[1].gate, 0.001);
  const std::vector<HeadName> closed = closed_heads(gated_heads(model));
  ASSERT_EQ(closed.size(), 1U);
  EXPECT_EQ(closed[0].site.text(), "decoder.layers.0.cross");
  EXPECT_EQ(closed[0].head, 0);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
