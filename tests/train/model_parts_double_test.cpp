// The closed forms of a model's parts against the model itself.
#include "train/model_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <ostream>
#include <string>
#include <vector>

#include "datasets/loader.hpp"
#include "train/config/config.hpp"
#include "train/experiment.hpp"

namespace tapehead {
namespace {

struct Case {
  std::string name;
  std::vector<std::string> set;
};
std::ostream& operator<<(std::ostream& out, const Case& of) { return out << of.name; }

constexpr Index source_vocabulary = 17;
constexpr Index target_vocabulary = 13;

ModelOptions options_of(const std::vector<std::string>& set) {
  return parse_config("model: {d_model: 12, heads: 3, layers: 2, d_ff: 7}\n", "a.yaml", set)
      .config.model;
}

Split ragged_split() {
  Split split;
  for (const auto& [source, target] :
       std::vector<std::pair<std::size_t, std::size_t>>{{2, 3}, {5, 1}, {4, 4}, {7, 2}}) {
    split.examples.push_back(
        {.source = std::vector<TokenId>(source, 3), .target = std::vector<TokenId>(target, 3)});
  }
  return split;
}

class ModelParts : public ::testing::TestWithParam<Case> {};

// Each part's number, and that part_of() knows whose a parameter is.
TEST_P(ModelParts, have_the_parameters_of_the_model) {
  const ModelOptions options = options_of(GetParam().set);
  ParameterStore store;
  const Transformer model(store.root(), options, source_vocabulary, target_vocabulary);
  const auto parts = model_parts(options, source_vocabulary, target_vocabulary, {});
  std::vector<Index> counted(parts.size(), 0);
  for (const NamedParameter& parameter : store.parameters()) {
    const std::string module = parameter.name.substr(0, parameter.name.rfind('.'));
    counted[part_of(parts, module)] += parameter.shape.size();
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].parameters, counted[i]) << parts[i].name;
  }
}

TEST_P(ModelParts, have_the_arithmetic_of_a_step) {
  const ModelOptions options = options_of(GetParam().set);
  const Batch batch = make_batch(ragged_split(), {0, 1, 2, 3});
  double sum = 0;
  for (const ModelPart& part :
       model_parts(options, source_vocabulary, target_vocabulary, rows_of(batch))) {
    sum += part.multiply_adds;
  }
  EXPECT_DOUBLE_EQ(2 * sum, step_flops(options, target_vocabulary, batch));
}

INSTANTIATE_TEST_SUITE_P(
    Models, ModelParts,
    ::testing::Values(
        Case{"plain", {}}, Case{"post_rms", {"model.norm_position=post", "model.norm=rms_norm"}},
        Case{"tied", {"model.tie_embeddings=all"}},
        Case{"tied_sides", {"model.tie_embeddings=source_target", "model.positions=learned"}},
        Case{"decoder_alone", {"model.encoder_layers=0", "model.decoder_layers=3"}},
        Case{"layers_differ", {"encoder_self.heads=[2, 3]", "decoder_self.d_qk=[4, 5]"}},
        Case{"shared_weights", {"encoder_self.shared_as=one", "decoder_self.shared_as=two"}},
        Case{"relative",
             {"attention.score=bilinear", "attention.kv_heads=1",
              "encoder_self.positions=relative"}}),
    [](const auto& test) { return test.param.name; });

// Every example is in one of the epoch's steps.
TEST(StepRows, mean_ones_are_the_sum_of_the_batches_over_the_steps) {
  const Split split = ragged_split();
  const StepRows mean = mean_rows(split, 2);
  const StepRows one = rows_of(make_batch(split, {0, 3}));
  const StepRows other = rows_of(make_batch(split, {1, 2}));
  EXPECT_DOUBLE_EQ(2 * mean.source, one.source + other.source);
  EXPECT_DOUBLE_EQ(2 * mean.target, one.target + other.target);
  EXPECT_DOUBLE_EQ(2 * mean.source_pairs, one.source_pairs + other.source_pairs);
  EXPECT_DOUBLE_EQ(2 * mean.target_pairs, one.target_pairs + other.target_pairs);
  EXPECT_DOUBLE_EQ(2 * mean.cross_pairs, one.cross_pairs + other.cross_pairs);
}

}  // namespace
}  // namespace tapehead
