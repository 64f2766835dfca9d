// Chooses heads to remove: the least important, singly or in sets that share keys.
#include "lab/removal/head_removal.hpp"

#include "lab/removal/head_importance.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/small_copy.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr Index every_example = 100;

// These heads of an attention.
HeadNames names(const std::vector<Index>& heads) {
  return mapped(heads, [](Index head) { return HeadName{{}, head}; });
}

double by_number(const HeadName& name) { return static_cast<double>(name.head); }

HeadNames all_heads(const PruningCurve& curve) { return curve.removed_by(curve.steps.size()); }

TEST(HeadGroups, without_sharing_are_single_heads_and_else_go_whole_or_one_of_each) {
  HeadGroups groups({}, 3, 3);
  EXPECT_THAT(groups.removable(by_number), ElementsAre(names({0}), names({1}), names({2})));
  EXPECT_THAT(groups.reachable(), ElementsAre(0, 1, 2, 3));
  groups.remove(names({1}));
  EXPECT_THAT(groups.removable(by_number), ElementsAre(names({0}), names({2})));
  EXPECT_THAT(groups.reachable(), ElementsAre(0, 1, 2));
  EXPECT_EQ(groups.removable_among(names({0, 1})), names({0}));
  HeadGroups shared({}, 6, 2);  // groups 0 1 2 and 3 4 5
  // Closed heads go if they leave equal groups.
  EXPECT_EQ(shared.removable_among(names({0, 1, 3})), names({0, 3}));
  EXPECT_EQ(shared.removable_among(names({0, 1})), names({}));
  EXPECT_EQ(shared.removable_among(names({0, 1, 2, 4})), names({0, 1, 2, 4}));
  EXPECT_EQ(shared.removable_among(names({0, 1, 2, 3, 4, 5})), names({0, 1, 2, 3, 4, 5}));
  const auto slope = [](const HeadName& one) { return static_cast<double>((one.head + 2) % 3); };
  EXPECT_THAT(shared.removable(slope),
              ElementsAre(names({0, 1, 2}), names({3, 4, 5}), names({1, 4})));
  // What remains: two groups of 2 or of 1, one group of 3, 2 or 1, or nothing.
  EXPECT_THAT(shared.reachable(), ElementsAre(0, 2, 3, 4, 5, 6));
  shared.remove(names({1, 4}));
  EXPECT_THAT(shared.removable(slope), ElementsAre(names({0, 2}), names({3, 5}), names({2, 5})));
  EXPECT_THAT(shared.reachable(), ElementsAre(0, 2, 3, 4));
}

PruningCurve choose(SmallCopy& copy, std::optional<Index> count, Index threads = 1) {
  Workers workers(threads);
  return choose_removal(copy.model, copy.config, copy.task, copy.split, count, every_example,
                        workers);
}

void expect_removable(const SmallCopy& copy, const std::vector<HeadName>& heads) {
  EXPECT_NO_THROW(options_without(copy.config.model, copy.model.transformer, heads));
}

TEST(RemovalChoice, of_plain_heads_is_that_of_the_pruning_curve) {
  SmallCopy copy;
  Workers workers(2);
  const PruningCurve curve =
      prune_heads(copy.model, copy.config, copy.task, copy.split, every_example, workers);
  const Tensor before = copy.model.store.values().copy();
  const PruningCurve choice = choose(copy, std::nullopt, 2);
  EXPECT_THAT(copy.model.store.values().values(), ElementsAreArray(before.values()));
  EXPECT_EQ(choice.loss, curve.loss);
  ASSERT_EQ(choice.steps.size(), curve.steps.size());
  for (std::size_t i = 0; i < curve.steps.size(); ++i) {
    EXPECT_EQ(choice.steps[i].removed, curve.steps[i].removed);
    EXPECT_EQ(choice.steps[i].importance, curve.steps[i].importance);
    EXPECT_EQ(choice.steps[i].loss, curve.steps[i].loss);
  }
  EXPECT_EQ(all_heads(choose(copy, 3)).size(), 3U);
  // The last step within the tolerance counts.
  const PruningCurve other{.loss = 1,
                           .steps = {{.removed = names({0}), .loss = 1.3},
                                     {.removed = names({1, 2}), .loss = 1.05},
                                     {.removed = names({3}), .loss = 2}}};
  EXPECT_EQ(other.removed_by(other.steps_within(0.1)), names({0, 1, 2}));
  EXPECT_EQ(other.removed_by(other.steps_within(0.01)), names({}));
  EXPECT_EQ(other.removed_by(other.steps_within(1)), names({0, 1, 2, 3}));
}

TEST(RemovalChoice, leaves_heads_that_cannot_go_and_takes_others) {
  for (const AttentionSettings& attention :
       {AttentionSettings{.positions = {{AttentionPositions::alibi}}},
        AttentionSettings{.combine = {{Combine::mean}}}}) {
    Config config = SmallCopy::options({});
    config.model.encoder_self = attention;
    SmallCopy mixed(config);
    const HeadNames chosen = all_heads(choose(mixed, 4));
    expect_removable(mixed, chosen);
    for (const HeadName& head : chosen) {
      EXPECT_NE(head.site.text(), "encoder.layers.0.self");
    }
    EXPECT_EQ(all_heads(choose(mixed, std::nullopt)).size(), 4U);
    EXPECT_THAT(message_of<ConfigError>([&] { choose(mixed, 5); }),
                AllOf(HasSubstr("5 heads cannot be removed: the model has 6 heads, of which 4 can "
                                "be removed (not the heads of encoder.layers.0.self: ")));
  }
}

// Two groups of three heads: any number except 1 can be removed; 3 is a whole group.
TEST(RemovalChoice, makes_a_count_up_from_sets_that_share_keys) {
  Config config = SmallCopy::options({});
  config.model.d_model = 12;
  config.model.heads = 6;
  for (const AttentionKind kind : attention_kinds) {
    config.model.settings(kind).kv_heads = {{2}};
  }
  SmallCopy copy(config);
  for (Index count = 0; count <= 18; ++count) {
    if (count == 1) {
      continue;
    }
    const HeadNames heads = all_heads(choose(copy, count));
    EXPECT_EQ(std::ssize(heads), count);
    expect_removable(copy, heads);
  }
  EXPECT_THAT(message_of<ConfigError>([&] { choose(copy, 1); }),
              HasSubstr("heads that share keys are removed together, so 0 or 2 can be removed"));
}

// Heads with ALiBi slopes stay, and so does a head whose removal makes groups unequal.
TEST(RemovalChoice, of_closed_heads_is_what_can_go) {
  Config config = SmallCopy::options({});
  config.model.heads = 4;
  config.model.cross.kv_heads = {{2}};
  config.model.encoder_self.positions = {{AttentionPositions::alibi}};
  const SmallCopy copy(config);
  const std::vector<HeadName> closed{{{AttentionKind::encoder_self, 0}, 0},
                                     {{AttentionKind::decoder_self, 0}, 2},
                                     {{AttentionKind::cross, 0}, 0},
                                     {{AttentionKind::cross, 0}, 2},
                                     {{AttentionKind::cross, 0}, 3}};
  const auto going = removable_among(copy.model.transformer, closed);
  EXPECT_THAT(going, UnorderedElementsAreArray(std::span(closed).subspan(1)));
  expect_removable(copy, going);
  EXPECT_TRUE(removable_among(copy.model.transformer, {{{AttentionKind::cross, 0}, 0}}).empty());
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
