// Maps the tensors of BERT and ALBERT to tapehead's parameters.
#include <nlohmann/json.hpp>

#include "interchange/architecture.hpp"
#include "interchange/pretrained_files.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

// AlbertTransformer in transformers gives layer i the group int(i / (18 / 14)). Groups 6 and 7
// start at layers 8 and 10.
TEST(AlbertRows, give_each_group_its_first_layer) {
  const nlohmann::ordered_json config = {{"model_type", "albert"},
                                         {"architectures", {"AlbertForMaskedLM"}},
                                         {"num_hidden_layers", 18},
                                         {"num_hidden_groups", 14}};
  std::map<std::string, std::string> ours;
  for (const TensorRow& row : albert_architecture.rows(TheirConfig(config, "config.json"))) {
    ours[row.theirs] = row.ours;
  }
  const auto layer_of = [&](int group) {
    return ours["albert.encoder.albert_layer_groups." + std::to_string(group) +
                ".albert_layers.0.ffn.weight"];
  };
  EXPECT_EQ(layer_of(0), "encoder.layers.0.feed_forward.inner.weight");
  EXPECT_EQ(layer_of(1), "encoder.layers.2.feed_forward.inner.weight");
  EXPECT_EQ(layer_of(6), "encoder.layers.8.feed_forward.inner.weight");
  EXPECT_EQ(layer_of(7), "encoder.layers.10.feed_forward.inner.weight");
  EXPECT_EQ(layer_of(13), "encoder.layers.17.feed_forward.inner.weight");
  EXPECT_EQ(layer_of(14), "");
}

}}  // namespace tapehead
