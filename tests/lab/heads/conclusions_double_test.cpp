// The conclusions about a run's heads, from figures made by hand; and since which checkpoint a head
// has its role, without interruption up to the last checkpoint.
#include "lab/heads/conclusions.hpp"

#include "lab/heads/head_history.hpp"
#include "tests/support/small_copy.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr AttentionSite encoder{AttentionKind::encoder_self, 0};
constexpr AttentionSite crossing{AttentionKind::cross, 1};

AttentionReport of_roles(AttentionSite site, const std::vector<Role>& roles) {
  AttentionReport report{.site = site, .queries = 10, .heads = {}, .relations = {}};
  for (const Role role : roles) {
    report.heads.emplace_back();
    report.heads.back().figures.role = role;
  }
  return report;
}

RelationFigures relation(std::string name, double offset_share,
                         std::vector<std::optional<double>> agreement) {
  return {.name = std::move(name),
          .queries = 10,
          .random = {},
          .offset_share = offset_share,
          .agreement = std::move(agreement)};
}

HeadImportance needed(Index head, double loss_without) {
  return {.head = {crossing, head}, .loss_without = loss_without};
}

PruningStep step(double loss) { return {.removed = {{encoder, 0}}, .loss = loss}; }

TEST(HeadConclusions, tell_which_heads_have_a_role) {
  const HeadFindings found{
      .heads = {of_roles(encoder, {Role::none, Role::previous}),
                of_roles(crossing, {Role::content, Role::previous, Role::none})}};
  EXPECT_THAT(conclusions(found),
              ElementsAre("3 of 5 heads have a role:",
                          "  2 previous token: encoder.layers.0.self.1, decoder.layers.1.cross.1",
                          "  1 content: decoder.layers.1.cross.0"));
  EXPECT_THAT(conclusions({.heads = {of_roles(encoder, {Role::none})}}),
              ElementsAre("0 of 1 heads have a role"));
  EXPECT_THAT(conclusions({.heads = {of_roles(encoder, {Role::idle})}}),
              ElementsAre("1 of 1 heads has a role:", "  1 idle: encoder.layers.0.self.0"));
  const auto idle = [](std::size_t heads) {
    return conclusions({.heads = {of_roles(crossing, std::vector<Role>(heads, Role::idle))}})[1];
  };
  EXPECT_THAT(idle(4), EndsWith("cross.2, decoder.layers.1.cross.3")) << "four heads at most";
  EXPECT_THAT(idle(5), EndsWith("cross.1, decoder.layers.1.cross.2 and 2 more"));
}

TEST(HeadConclusions, name_the_best_head_for_the_relations_that_offsets_explain_least) {
  HeadFindings found{.heads = {of_roles(encoder, {Role::none, Role::none}),
                               of_roles({AttentionKind::encoder_self, 1}, {Role::none})}};
  found.heads[0].relations = {relation("near", 1, {0.9, 0.96}), relation("object", 0.5, {0.6, 0})};
  found.heads[1].relations = {relation("near", 1, {0.95}), relation("object", 0.5, {0.8})};
  const auto near = AllOf(HasSubstr("best fixed offset for \"near\": 100 %"),
                          EndsWith("closest: encoder.layers.0.self.1, 96 %"));
  const auto object = AllOf(HasSubstr("\"object\": encoder.layers.1.self.0, 80 % of the queries"),
                            EndsWith("best fixed offset 50 %"));
  EXPECT_THAT(conclusions(found), ElementsAre("0 of 3 heads have a role", object, near));
  found.heads[1].relations.push_back(relation("subject", 0.3, {0.9}));
  found.heads[1].relations.push_back(relation("verb", 0.3, {0.7}));
  const std::vector<std::string> lines = conclusions(found);
  EXPECT_THAT(lines, Contains(object));
  EXPECT_THAT(lines, Not(Contains(near)));
  EXPECT_EQ(lines.back(),
            "further relations: 1; in 0 of them the best head exceeds the best fixed offset");
}

TEST(HeadConclusions, name_no_best_head_where_an_offset_is_as_good) {
  HeadFindings found{.heads = {of_roles(encoder, {Role::none, Role::none})}};
  const auto line = [&](std::vector<std::optional<double>> agreement) {
    found.heads[0].relations = {relation("object", 0.31, std::move(agreement))};
    return conclusions(found).back();
  };
  const std::string offset =
      "best fixed offset for \"object\": 31 % of the queries, which no head exceeds; ";
  EXPECT_EQ(line({0, 0.31}), offset + "closest: encoder.layers.0.self.1, 31 %");
  EXPECT_EQ(line({0, 0}), offset + "no head agrees in any query");
  EXPECT_EQ(line({std::nullopt, 0}), offset + "no head agrees in any query");
  EXPECT_EQ(line({std::nullopt, std::nullopt}), offset + "no head may attend to a related key");
  found.heads[0].relations = {relation("one", 0.1, {1}),    relation("two", 0.2, {1}),
                              relation("three", 0.3, {1}),  relation("four", 0.4, {1}),
                              relation("five", 0.8, {0.9}), relation("equal", 0.7, {0.7}),
                              relation("below", 0.7, {0.6})};
  EXPECT_EQ(conclusions(found).back(),
            "further relations: 4; in 2 of them the best head exceeds the best fixed offset");
}

HeadFindings with_nearest(double one, double other) {
  HeadFindings found{.heads = {of_roles(encoder, {Role::none, Role::none})}};
  found.heads[0].heads[0].nearest = {.site = encoder, .head = 1, .distance = one};
  found.heads[0].heads[1].nearest = {
      .site = {AttentionKind::encoder_self, 2}, .head = 3, .distance = other};
  return found;
}

TEST(HeadConclusions, tell_which_heads_matter) {
  HeadFindings found{.heads = {of_roles(crossing, {Role::none, Role::none, Role::none})}};
  found.importance = {.loss = 1, .heads = {needed(0, 1.005), needed(1, 1.5), needed(2, 0.9)}};
  found.pruning = {.loss = 1, .steps = {step(1), step(1.009), step(1.2)}};
  EXPECT_THAT(
      conclusions(found),
      ElementsAre(
          "0 of 3 heads have a role",
          "most needed: decoder.layers.1.cross.1, loss 1.5000 without it, 1.0000 with all "
          "heads",
          "2 of 3 heads can be removed one at a time with the loss growing by at most 0.01 nats",
          "2 of 3 heads can be removed together with the loss growing by at most 0.01 nats"));
  found.gates = {{.head = {}, .gate = 0}, {.head = {}, .gate = 0.5}};
  EXPECT_THAT(conclusions(found), IsSupersetOf({"1 of 2 heads with gates are closed"}));
  // A model in which no head can be removed.
  EXPECT_THAT(conclusions({.heads = {}, .importance = Importance{}, .pruning = PruningCurve{}}),
              ElementsAre("0 of 0 heads have a role"));
}

TEST(NextLook, follows_what_was_found) {
  EXPECT_THAT(conclusions(with_nearest(0.3, 0.07)),
              Contains("most alike: encoder.layers.0.self.1 and encoder.layers.2.self.3, "
                       "divergence 0.07 nats (0: same weights)"));
  const SmallCopy copy;
  const auto look = [&](const HeadFindings& found) {
    const auto next = next_look(copy.model.transformer, found);
    return next ? std::pair(next->step, next->why) : std::pair(NextStep(), std::string("none"));
  };
  HeadFindings found = with_nearest(0.3, 0.07);
  EXPECT_THAT(look(found), Pair(NextStep::importance, "which heads does the model need?"));
  EXPECT_THAT(look(with_nearest(0.3, 0.01)),
              Pair(_, "does the model need both of the most alike heads?"));
  found.importance = {.loss = 1, .heads = {needed(0, 1.005), needed(1, 1), needed(2, 3)}};
  EXPECT_THAT(look(found), Pair(NextStep::pruning, _));
  found.pruning = {.loss = 1, .steps = {step(1), step(1.2)}};
  EXPECT_THAT(look(found), Pair(NextStep::spare_heads_gone, "a smaller run without those heads"));
  found.gates = {{.head = {encoder, 0}, .gate = 0}};
  EXPECT_THAT(look(found),
              Pair(NextStep::closed_heads_gone, "a smaller run without the closed heads"));
  // Each head is needed.
  HeadFindings needs = with_nearest(0.3, 0.01);
  needs.importance = {.loss = 1, .heads = {needed(0, 1.5), needed(1, 1)}};
  EXPECT_EQ(look(needs).second, "none") << "one head alone has no others to go with";
  needs.importance.reset();
  needs.pruning = {.loss = 1, .steps = {step(1.2), step(2)}};
  EXPECT_EQ(look(needs).second, "none");
}

// Encoder heads have ALiBi slopes and cannot be removed. The four heads of cross-attention share
// keys in two groups. Decoder heads can be removed singly.
TEST(NextLook, promises_only_what_prune_does) {
  Config config = SmallCopy::options({});
  config.model.heads = 4;
  config.model.encoder_self.positions = {{AttentionPositions::alibi}};
  config.model.cross.kv_heads = {{2}};
  const SmallCopy copy(config);
  constexpr AttentionSite decoder{AttentionKind::decoder_self, 0};
  constexpr AttentionSite across{AttentionKind::cross, 0};
  const auto spare = [&](const std::vector<HeadName>& heads) {
    HeadFindings found{.heads = {}, .pruning = PruningCurve{.loss = 1, .steps = {}}};
    for (const HeadName& head : heads) {
      found.pruning->steps.push_back({.removed = {head}, .loss = 1});
    }
    found.pruning->steps.push_back({.removed = {{decoder, 3}}, .loss = 2});
    const auto look = next_look(copy.model.transformer, found);
    return look ? look->why : "";
  };
  const std::string all = "a smaller run without those heads";
  const std::string some = "a smaller run, with as many heads removed as that loss allows";
  EXPECT_EQ(spare({{decoder, 0}, {decoder, 2}}), all);
  EXPECT_EQ(spare({{encoder, 0}, {decoder, 2}}), some);
  EXPECT_EQ(spare({{across, 0}, {across, 2}}), some) << "0 and 3 may go instead";
  EXPECT_EQ(spare({{encoder, 0}, {encoder, 1}}), "");
  EXPECT_EQ(spare({{across, 1}}), "");
  EXPECT_EQ(spare({}), "");

  const auto closed = [&](const std::vector<HeadName>& heads) {
    HeadFindings found{.heads = {}, .gates = {{.head = {decoder, 3}, .gate = 1}}};
    for (const HeadName& head : heads) {
      found.gates.push_back({.head = head, .gate = 0});
    }
    return next_look(copy.model.transformer, found)->why;
  };
  EXPECT_EQ(closed({{decoder, 0}, {across, 0}, {across, 2}}),
            "a smaller run without the closed heads");
  EXPECT_EQ(closed({{decoder, 0}, {encoder, 2}}),
            "a smaller run without the closed heads that can be removed");
  EXPECT_EQ(closed({{encoder, 2}}), "which heads does the model need?");
}

HeadMoment moment(Index at_step, Role role, double agreement) {
  AttentionReport report = of_roles(crossing, {role});
  report.relations = {relation("answer", 0, {agreement})};
  return {.step = at_step, .attentions = {report}};
}

TEST(HeadHistoryOfRun, begins_after_the_last_break) {
  const HeadHistory history{moment(10, Role::content, 0.9), moment(20, Role::none, 0.7),
                            moment(30, Role::content, 0.85), moment(40, Role::content, 0.95)};
  const HeadName head{crossing, 0};
  EXPECT_THAT(roles_since(history), ElementsAre(FieldsAre(head, Role::content, 30)));
  EXPECT_THAT(relations_since(history), ElementsAre(FieldsAre("answer", head, 0.95, 30)));
  const HeadHistory ended{history[0], history[1]};
  EXPECT_TRUE(roles_since(ended).empty());
  EXPECT_TRUE(relations_since(ended).empty());
  EXPECT_EQ(history_text(ended), "no head has a role at the end\n");
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
