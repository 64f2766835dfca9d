// Layer groups from the model options.
#include "nn/options/model_options.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

std::vector<Index> firsts_of(Index layers, Index groups) {
  ModelOptions options;
  options.layer_groups = groups;
  std::vector<Index> firsts;
  for (Index layer = 0; layer < layers; ++layer) {
    firsts.push_back(options.first_of_group(layer, layers));
  }
  return firsts;
}

// Python: g = [int(i / (layers / groups)) for i in range(layers)]; [g.index(x) for x in g]. Without
// rounding, 9 / (18 / 14) is 7, and layer 9 would be the first of its group.
TEST(ModelOptions, group_layers_as_transformers_does) {
  EXPECT_EQ(firsts_of(18, 14),
            (std::vector<Index>{0, 0, 2, 3, 4, 4, 6, 7, 8, 8, 10, 11, 12, 13, 13, 15, 16, 17}));
  EXPECT_EQ(
      firsts_of(36, 14),
      (std::vector<Index>{0,  0,  0,  3,  3,  3,  6,  6,  8,  8,  8,  11, 11, 13, 13, 13, 16, 16,
                          16, 19, 19, 21, 21, 21, 24, 24, 26, 26, 26, 29, 29, 31, 31, 31, 34, 34}));
  EXPECT_EQ(firsts_of(7, 3), (std::vector<Index>{0, 0, 0, 3, 3, 5, 5}));
  EXPECT_EQ(firsts_of(4, 1), (std::vector<Index>{0, 0, 0, 0}));
  EXPECT_EQ(firsts_of(3, 3), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(firsts_of(3, 5), (std::vector<Index>{0, 1, 2}));
}

}}  // namespace tapehead
