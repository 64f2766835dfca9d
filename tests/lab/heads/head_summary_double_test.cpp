// The summary figures of a run's heads, from reports made by hand.
#include "lab/heads/conclusions.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

HeadReport head(double entropy, Role role) {
  HeadReport report;
  report.figures.means["entropy"] = {.value = entropy, .even = 2};
  report.figures.means["confidence"] = {.value = 0.5, .even = 0};
  report.figures.role = role;
  return report;
}

AttentionReport attention(AttentionSite site, std::vector<HeadReport> heads) {
  return {.site = site, .queries = 10, .heads = std::move(heads), .relations = {}};
}

TEST(HeadSummary, has_means_over_the_heads_of_all_layers_of_a_kind) {
  HeadReport near = head(1, Role::previous);
  near.figures.distance_profile[static_cast<std::size_t>(reach - 1)] = 1;  // one back
  near.figures.means["weight_on.previous"] = {.value = 0.8, .even = 0.1};
  near.maps = HeadMaps{.query_key = {}, .value_output = {}, .asymmetry = 0.6};
  HeadReport far = head(2, Role::none);
  far.figures.distance_profile.front() = 0.5;  // eight or more back
  far.figures.distance_profile.back() = 0.5;
  const NamedFigures figures =
      summary_of({attention({AttentionKind::encoder_self, 0}, {near}),
                  attention({AttentionKind::encoder_self, 1}, {far}),
                  attention({AttentionKind::decoder_self, 0}, {head(0, Role::idle)}),
                  attention({AttentionKind::cross, 0}, {})});
  EXPECT_EQ(figures.at("encoder_self.entropy"), 1.5);
  EXPECT_DOUBLE_EQ(figures.at("encoder_self.entropy_spread"), std::sqrt(0.5));  // of 1 and 2
  EXPECT_EQ(figures.at("encoder_self.evenness"), 0.75);
  EXPECT_EQ(figures.at("encoder_self.distance"), 4.5);  // of 1 and 8
  EXPECT_EQ(figures.at("encoder_self.previous"), 0.8);  // from the only head with it
  EXPECT_EQ(figures.at("encoder_self.confidence"), 0.5);
  EXPECT_EQ(figures.at("encoder_self.asymmetry"), 0.6);  // from the only head with it
  EXPECT_EQ(figures.at("decoder_self.entropy"), 0);
  EXPECT_EQ(figures.at("heads"), 3);
  EXPECT_EQ(figures.at("role.previous_token"), 1);
  EXPECT_EQ(figures.at("role.none"), 1);
  EXPECT_EQ(figures.at("role.idle"), 1);
  EXPECT_EQ(figures.at("role.induction"), 0);
  for (const char* absent : {"cross.entropy", "encoder_self.next",
                             "decoder_self.entropy_spread",  // it has one head
                             "encoder_self.divergence"}) {   // no attention has two heads
    EXPECT_FALSE(figures.contains(absent)) << absent;
  }
}

TEST(HeadSummary, has_each_pair_of_heads_once_and_no_figure_that_no_head_has) {
  std::vector<HeadReport> heads(3, head(1, Role::none));
  heads[0].divergence = {0, 0.1, 0.2};
  heads[1].divergence = {0.1, 0, 0.6};
  heads[2].divergence = {0.2, 0.6, 0};
  heads[0].output_distance = {0, 1, 1};
  heads[1].output_distance = {1, 0, 1};
  heads[2].output_distance = {1, 1, 0};
  const NamedFigures figures = summary_of({attention({AttentionKind::cross, 1}, heads)});
  EXPECT_DOUBLE_EQ(figures.at("cross.divergence"), 0.3);
  EXPECT_DOUBLE_EQ(figures.at("cross.output_distance"), 1);
  AttentionReport nothing = attention({AttentionKind::cross, 0}, {HeadReport()});
  nothing.heads[0].divergence = nothing.heads[0].output_distance = {0};
  nothing.relations.push_back({.name = "answer",
                               .queries = 5,
                               .random = {0},
                               .offset_share = 0.4,
                               .agreement = {std::nullopt}});
  NamedFigures none = summary_of({nothing});
  std::erase_if(none, [](const auto& figure) { return !figure.first.starts_with("cross."); });
  EXPECT_EQ(none, (NamedFigures{{"cross.answer.best_offset", 0.4}}));
}

TEST(HeadSummary, has_the_best_head_of_all_layers_for_a_relation) {
  const auto with = [](AttentionSite site, std::vector<std::optional<double>> agreement,
                       std::vector<double> random) {
    AttentionReport report = attention(site, {head(1, Role::none), head(1, Role::none)});
    for (HeadReport& one : report.heads) {
      one.divergence = one.output_distance = {0, 0};
    }
    report.relations.push_back({.name = "object to verb",
                                .queries = 5,
                                .random = std::move(random),
                                .offset = -1,
                                .offset_share = 0.4,
                                .agreement = std::move(agreement)});
    return report;
  };
  const NamedFigures figures =
      summary_of({with({AttentionKind::encoder_self, 0}, {0.2, 0.9}, {0.1, 0.25}),
                  with({AttentionKind::encoder_self, 1}, {0.3, std::nullopt}, {0.1, 0})});
  EXPECT_EQ(figures.at("encoder_self.object_to_verb.best_head"), 0.9);
  EXPECT_EQ(figures.at("encoder_self.object_to_verb.best_offset"), 0.4);
  EXPECT_EQ(figures.at("encoder_self.object_to_verb.random"), 0.25) << "of the best head";
}

TEST(HeadSummary, has_how_many_heads_can_go_and_are_closed_and_what_is_lost_without_one) {
  const auto step = [](double loss) { return PruningStep{.removed = {}, .loss = loss}; };
  // A head whose removal costs too much at first may be compensated by the next removal.
  const PruningCurve curve{.loss = 1,
                           .steps = {step(1.0), step(1.02), step(1.009), step(1.05), step(2)}};
  EXPECT_EQ(curve.steps_within(0.01), 3U);
  EXPECT_EQ(curve.steps_within(10), 5U);
  EXPECT_EQ(PruningCurve{}.steps_within(1), 0U);
  EXPECT_EQ((PruningCurve{.loss = 1, .steps = {step(1.5)}}.steps_within(0.1)), 0U);
  const NamedFigures figures = summary_of(curve);
  EXPECT_DOUBLE_EQ(figures.at("heads.prunable"), 0.6);
  EXPECT_DOUBLE_EQ(figures.at("heads.prunable_at_ten_times"), 0.8);
  EXPECT_THAT(summary_of({GatedHead{.head = {}, .gate = 0, .open = 0.1},
                          {.head = {}, .gate = 0.2, .open = 1}}),
              Contains(Pair("heads.closed", 1)));
  const AttentionSite site{AttentionKind::cross, 0};
  const std::string cross = "decoder.layers.0.cross";
  const NamedFigures lost =
      summary_of(Importance{.loss = 1,
                            .heads = {{.head = {site, 0}, .loss_without = 1.5, .loss_alone = 3},
                                      {.head = {site, 1}, .loss_without = 1.25, .loss_alone = 2},
                                      {.head = {{AttentionKind::encoder_self, 0}, 0},
                                       .loss_without = 1.005,
                                       .loss_alone = 1}}});
  EXPECT_DOUBLE_EQ(lost.at(cross + ".more_without"), 0.375);
  EXPECT_DOUBLE_EQ(lost.at(cross + ".more_without_most"), 0.5);
  EXPECT_DOUBLE_EQ(lost.at(cross + ".more_alone"), 1.5);
  EXPECT_DOUBLE_EQ(lost.at("heads.spare"), 1.0 / 3);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
