// Distances between heads, and what heads write, for cases with known answers.
#include "lab/heads/head_figures.hpp"

#include "lab/heads/head_report.hpp"
#include "tests/support/lone_attention.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

TEST(HeadPairs, of_outputs_go_by_direction_alone_and_of_weights_are_log_two_at_most) {
  const Tensor x = unit_rows(Tensor::of({3, 2}, {3, 4, 0, 2, 0, 0}));
  EXPECT_THAT(x.values(), ElementsAre(0.6, 0.8, 0, 1, 0, 0));
  const Tensor longer = unit_rows(Tensor::of({3, 2}, {30, 40, 0, 1, 1, 0}));
  EXPECT_NEAR(output_distance_between(x, longer), 1, 1e-12);  // row 2 of x writes nothing
  const Tensor opposite = unit_rows(Tensor::of({3, 2}, {-3, -4, 5, 0, 0, 0}));
  EXPECT_NEAR(output_distance_between(x, opposite), 2 + 1 + 1, 1e-12);
  const std::vector<Scalar> first{1, 0, 1, 0};
  const std::vector<Scalar> second{0, 1, 1, 0};
  EXPECT_NEAR(divergence_between(first, second), std::log(2), 1e-12);  // one of two rows differs
}

// The recorded outputs, mapped by head_writes(), plus the bias equal the attention's output.
TEST(HeadWrites, add_up_to_the_output) {
  for (const Combine combine :
       {Combine::output, Combine::concatenate, Combine::mean, Combine::weighted}) {
    SCOPED_TRACE(static_cast<int>(combine));
    AttentionSettings settings{.combine = {{combine}}};
    settings.positions.values = {AttentionPositions::relative};  // values depend on positions
    const LoneAttention lone(settings, 3);
    const Segments segments = segments_of({4, 1, 3});
    const Tensor x = random_tensor({8, 6}, 5);
    const std::vector<Tensor> writes = head_writes(lone.store, lone.attention);
    Tensor sum = Tensor::zeros({8, 6});
    for (const RecordedAttention& seen : lone.recorded(x, segments)) {
      const Tensor written = written_by(seen.output, writes[static_cast<std::size_t>(seen.head)]);
      Scalar* first = sum.row(segments[seen.segment].row);
      std::ranges::transform(written.values(), std::span(first, written.values().size()), first,
                             std::plus<>());
    }
    EXPECT_THAT(sum.values(), Pointwise(DoubleNear(1e-12), lone(x, segments).values()));
  }
}

// An attention of this many queries, with distances between its heads summed over the queries.
AttentionSums attention(AttentionSite site, double queries, std::vector<double> divergence,
                        std::vector<double> output_distance) {
  AttentionSums sums{.site = site, .queries = queries};
  sums.heads.resize(divergence.size() == 1 ? 1 : 2);
  sums.divergence = std::move(divergence);
  sums.output_distance = std::move(output_distance);
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

// Layer 1's head is nearer to head 1 of layer 0 than the heads of layer 0 are to each other.
// Cross-attention has a single head and no other to compare with.
TEST(PairReport, finds_the_nearest_head_of_all_layers) {
  constexpr AttentionSite layer_0{AttentionKind::encoder_self, 0};
  constexpr AttentionSite layer_1{AttentionKind::encoder_self, 1};
  std::vector<AttentionSums> sums{attention(layer_0, 10, {0, 5, 5, 0}, {0, 8, 8, 0}),
                                  attention(layer_1, 10, {0}, {0}),
                                  attention({AttentionKind::cross, 0}, 20, {0}, {0})};
  sums[1].earlier = {{layer_0, {6, 1}}};
  const auto reports = reports_of(sums);
  const HeadReport& first = reports[0].heads[0];
  ASSERT_TRUE(first.nearest.has_value());
  EXPECT_EQ(first.nearest->site, layer_0);
  EXPECT_EQ(first.nearest->head, 1U);
  EXPECT_EQ(first.nearest->distance, 0.5);
  EXPECT_THAT(first.divergence_across, ElementsAre(Pair(layer_1, ElementsAre(0.6))));
  EXPECT_EQ(reports[0].heads[1].nearest->site, layer_1);
  EXPECT_EQ(reports[0].heads[1].nearest->distance, 0.1);
  EXPECT_THAT(reports[1].heads[0].divergence_across,
              ElementsAre(Pair(layer_0, ElementsAre(0.6, 0.1))));
  EXPECT_EQ(reports[1].heads[0].nearest->head, 1U);
  EXPECT_FALSE(reports[2].heads[0].nearest.has_value());
  EXPECT_THAT(
      heads_table(reports, HeadTable::pairs),
      AllOf(HasSubstr("0.10  encoder.layers.1.self.0"), HasSubstr("0.80 (1)"), HasSubstr("cross")));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
