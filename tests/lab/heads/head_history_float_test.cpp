// Since which checkpoint a head has its role, without interruption up to the last checkpoint.
#include "lab/heads/head_history.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

HeadMoment moment(Index step, Role role, double agreement) {
  HeadReport head;
  head.figures.role = role;
  AttentionReport attention;
  attention.site = {AttentionKind::cross, 1};
  attention.heads = {head};
  attention.relations = {{.name = "answer", .queries = 10, .random = {}, .agreement = {agreement}}};
  return {.step = step, .attentions = {attention}};
}

TEST(HeadHistoryOfRun, begins_after_the_last_break) {
  const HeadHistory history{moment(10, Role::content, 0.9), moment(20, Role::none, 0.7),
                            moment(30, Role::content, 0.85), moment(40, Role::content, 0.95)};
  const std::vector<RoleSince> roles = roles_since(history);
  ASSERT_EQ(roles.size(), 1U);
  EXPECT_EQ(roles[0].head.text(), "decoder.layers.1.cross.0");
  EXPECT_EQ(roles[0].role, Role::content);
  EXPECT_EQ(roles[0].step, 30);
  const std::vector<RelationSince> relations = relations_since(history);
  ASSERT_EQ(relations.size(), 1U);
  EXPECT_EQ(relations[0].relation, "answer");
  EXPECT_EQ(relations[0].agreement, 0.95);
  EXPECT_EQ(relations[0].step, 30);
}

TEST(HeadHistoryOfRun, says_nothing_of_what_has_ended) {
  const HeadHistory history{moment(10, Role::content, 0.9), moment(20, Role::none, 0.7)};
  EXPECT_TRUE(roles_since(history).empty());
  EXPECT_TRUE(relations_since(history).empty());
  EXPECT_EQ(history_text(history), "no head has a role at the end\n");
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
