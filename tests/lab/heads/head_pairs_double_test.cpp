// Distances between heads, and what heads write, for cases with known answers.
#include "lab/heads/head_figures.hpp"

#include "lab/heads/head_report.hpp"
#include "tests/support/lone_attention.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

TEST(HeadPairs, of_outputs_go_by_direction_alone) {
  const Tensor x = unit_rows(Tensor::of({3, 2}, {3, 4, 0, 2, 0, 0}));
  EXPECT_THAT(x.values(), ElementsAre(0.6, 0.8, 0, 1, 0, 0));
  const Tensor longer = unit_rows(Tensor::of({3, 2}, {30, 40, 0, 1, 1, 0}));
  EXPECT_NEAR(output_distance_between(x, longer), 1, 1e-12);  // row 2 of x writes nothing
  const Tensor opposite = unit_rows(Tensor::of({3, 2}, {-3, -4, 5, 0, 0, 0}));
  EXPECT_NEAR(output_distance_between(x, opposite), 2 + 1 + 1, 1e-12);
}

TEST(HeadPairs, of_weights_are_apart_by_log_two_at_most) {
  const std::vector<Scalar> first{1, 0, 1, 0};
  const std::vector<Scalar> second{0, 1, 1, 0};
  EXPECT_NEAR(divergence_between(first, second), std::log(2), 1e-12);  // one of two rows differs
}

// The recorded outputs, mapped by head_writes(), plus the bias equal the attention's output.
class HeadWrites : public TestWithParam<Combine> {};

INSTANTIATE_TEST_SUITE_P(Combinations, HeadWrites,
                         Values(Combine::output, Combine::concatenate, Combine::mean,
                                Combine::weighted));

TEST_P(HeadWrites, add_up_to_the_output) {
  AttentionSettings settings;
  settings.combine.values = {GetParam()};
  settings.positions.values = {AttentionPositions::relative};  // its values depend on positions
  const LoneAttention lone(settings, 3);
  const Segments segments = segments_of({4, 1, 3});
  const std::vector<Tensor> writes = head_writes(lone.store, lone.attention);
  Tensor sum = Tensor::zeros({8, 6});
  Tape tape(false);
  Pass pass(tape, lone.store);
  pass.recorder = [&](const RecordedAttention& seen) {
    const Tensor written = written_by(seen.output, writes[static_cast<std::size_t>(seen.head)]);
    const Index first = segments[seen.segment].row;
    for (Index i = 0; i < written.dim(0); ++i) {
      std::transform(written.row(i), written.row(i) + 6, sum.row(first + i), sum.row(first + i),
                     std::plus<>());
    }
  };
  const Var x = tape.constant(random_tensor({8, 6}, 5));
  const BlockOutput output = lone.attention(pass, x, segments, {segments});
  EXPECT_THAT(sum.values(), Pointwise(DoubleNear(1e-12), output.value.value().values()));
}

// Layer 1's head is nearer to head 1 of layer 0 than the heads of layer 0 are to each other.
// Cross-attention has a single head and no other to compare with.
std::vector<AttentionSums> three_attentions() {
  std::vector<AttentionSums> sums(3);
  sums[0].site = {AttentionKind::encoder_self, 0};
  sums[0].queries = 10;
  sums[0].heads.resize(2);
  sums[0].divergence = {0, 5, 5, 0};
  sums[0].output_distance = {0, 8, 8, 0};
  sums[1].site = {AttentionKind::encoder_self, 1};
  sums[1].queries = 10;
  sums[1].heads.resize(1);
  sums[1].divergence = {0};
  sums[1].output_distance = {0};
  sums[1].earlier = {{sums[0].site, {6, 1}}};
  sums[2].site = {AttentionKind::cross, 0};
  sums[2].queries = 20;
  sums[2].heads.resize(1);
  sums[2].divergence = {0};
  sums[2].output_distance = {0};
  return sums;
}

std::vector<AttentionReport> reports_of(const std::vector<AttentionSums>& sums) {
  std::vector<AttentionReport> reports;
  for (const AttentionSums& attention : sums) {
    AttentionReport report{.site = attention.site, .heads = {}, .relations = {}};
    const std::size_t count = attention.heads.size();
    for (std::size_t i = 0; i < count; ++i) {
      HeadReport head;
      for (std::size_t j = 0; j < count; ++j) {
        head.divergence.push_back(attention.divergence[i * count + j] / attention.queries);
        head.output_distance.push_back(attention.output_distance[i * count + j] /
                                       attention.queries);
      }
      report.heads.push_back(head);
    }
    reports.push_back(std::move(report));
  }
  compare_attentions(reports, sums);
  return reports;
}

TEST(PairReport, finds_the_nearest_head_of_all_layers) {
  const auto reports = reports_of(three_attentions());
  const HeadReport& first = reports[0].heads[0];
  ASSERT_TRUE(first.nearest.has_value());
  EXPECT_EQ(first.nearest->site.text(), "encoder.layers.0.self");
  EXPECT_EQ(first.nearest->head, 1U);
  EXPECT_EQ(first.nearest->distance, 0.5);
  EXPECT_THAT(first.divergence_across,
              ElementsAre(Pair(AttentionSite{AttentionKind::encoder_self, 1}, ElementsAre(0.6))));
  const HeadReport& second = reports[0].heads[1];
  EXPECT_EQ(second.nearest->site.text(), "encoder.layers.1.self");
  EXPECT_EQ(second.nearest->distance, 0.1);
  EXPECT_THAT(
      reports[1].heads[0].divergence_across,
      ElementsAre(Pair(AttentionSite{AttentionKind::encoder_self, 0}, ElementsAre(0.6, 0.1))));
  EXPECT_EQ(reports[1].heads[0].nearest->head, 1U);
  EXPECT_FALSE(reports[2].heads[0].nearest.has_value());
  EXPECT_THAT(
      heads_table(reports, HeadTable::pairs),
      AllOf(HasSubstr("0.10  encoder.layers.1.self 0"), HasSubstr("0.80 (1)"), HasSubstr("cross")));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
