// The agreement of heads with relations, for weights and relations with known answers.
#include "lab/heads/head_figures.hpp"

#include "lab/heads/attention_report.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

const std::vector<TokenId> five_tokens{3, 4, 5, 6, 7};
const TokenFacts no_facts{};

// Queries 1 and 2 have one related key, query 4 has two, queries 0 and 3 have none.
Relations partner(RelationSide side) {
  return {{.name = "partner", .side = side, .pairs = {{1, 0}, {2, 0}, {4, 2}, {4, 3}}}};
}

AttendedSequence sequence_with(const Relations& relations, bool causal = false) {
  static const std::array patterns{Pattern::full(), Pattern::causal()};
  return {.keys = five_tokens,
          .queries = five_tokens,
          .self = true,
          .causal = causal,
          .patterns = std::span(patterns).subspan(causal ? 1 : 0, 1),
          .key_facts = no_facts,
          .relations = relations};
}

// Each query has weight 0.6 on one key and 0.1 on the rest.
std::vector<Scalar> mostly_on(const std::vector<std::size_t>& keys) {
  const std::size_t n = keys.size();
  std::vector<Scalar> weights(n * n, Scalar{0.1});
  for (std::size_t i = 0; i < n; ++i) {
    weights[i * n + keys[i]] = Scalar{0.6};
  }
  return weights;
}

// Agrees for query 1, not for query 2, and for query 4 with its second key.
const std::vector<Scalar> two_of_three = mostly_on({0, 0, 1, 0, 3});
const std::vector<Scalar> all_of_them = mostly_on({4, 0, 0, 4, 2});
const std::vector<Scalar> none_of_them = mostly_on({0, 1, 2, 3, 4});

std::vector<RelationSums> sums_of(const AttendedSequence& sequence,
                                  const std::vector<std::vector<Scalar>>& weights) {
  std::vector<RelationSums> sums;
  add_relations(sums, sequence, weights);
  return sums;
}

auto near(double number) { return DoubleNear(number, 1e-12); }

TEST(HeadAgreement, counts_queries_with_the_largest_weight_on_a_related_key) {
  const Relations relations = partner(RelationSide::source);
  const auto sums = sums_of(sequence_with(relations), {all_of_them, two_of_three, none_of_them});
  ASSERT_EQ(sums.size(), 1U);
  const RelationFigures figures = figures_of(sums[0]);
  EXPECT_EQ(figures.name, "partner");
  EXPECT_EQ(figures.queries, 3);
  EXPECT_THAT(figures.agreement, ElementsAre(1, Optional(near(2.0 / 3)), 0));
  // The best offset: -1 is correct for queries 1 and 4, -2 for queries 2 and 4.
  EXPECT_THAT(sums[0].at_offset, ElementsAre(Pair(-2, 2), Pair(-1, 2)));
  EXPECT_EQ(figures.offset, -2);
  EXPECT_NEAR(figures.offset_share, 2.0 / 3, 1e-12);
  EXPECT_NEAR(figures.over_offset(0), 1.0 / 3, 1e-12);
}

// A window of one position before: query 1 sees two keys, one related; query 2 sees no related key;
// query 4 one of two. Blocks of two show query 1 the same keys, and other queries no related key.
// In blocks of one, each query sees only itself, and no key is related to itself.
TEST(HeadAgreement, knows_what_chance_would_give_among_the_keys_of_each_pattern) {
  const Relations relations = partner(RelationSide::source);
  const std::vector<Pattern> patterns{Pattern::full(), Pattern::window(1, 0), Pattern::blocks(2),
                                      Pattern::blocks(1)};
  AttendedSequence sequence = sequence_with(relations);
  sequence.patterns = patterns;
  const RelationFigures figures =
      figures_of(sums_of(sequence, {none_of_them, none_of_them, none_of_them, none_of_them})[0]);
  EXPECT_THAT(figures.random, ElementsAre(near((1.0 / 5 + 1.0 / 5 + 2.0 / 5) / 3),
                                          near((1.0 / 2 + 1.0 / 2) / 3), near(1.0 / 2 / 3), 0));
  EXPECT_THAT(figures.agreement, ElementsAre(0, _, _, std::nullopt));
  EXPECT_EQ(closest_relation({figures}, 3), std::nullopt);
  // With the causal pattern, query i has i + 1 keys.
  const Relations back = partner(RelationSide::target);
  EXPECT_THAT(figures_of(sums_of(sequence_with(back, true), {all_of_them})[0]).random,
              ElementsAre(near((1.0 / 2 + 1.0 / 3 + 2.0 / 5) / 3)));
}

TEST(HeadAgreement, is_with_the_relations_of_its_own_side_and_adds_up) {
  const Relations relations = partner(RelationSide::source);
  EXPECT_THAT(sums_of(sequence_with(relations, true), {all_of_them}), IsEmpty());
  AttendedSequence across = sequence_with(relations);
  across.self = false;
  EXPECT_THAT(sums_of(across, {all_of_them}), IsEmpty());
  const Relations aligned = partner(RelationSide::across);
  across.relations = aligned;
  EXPECT_EQ(sums_of(across, {all_of_them}).size(), 1U);
  // Sentences have different relations; a sentence may have no pair of a relation.
  Relations first = partner(RelationSide::source);
  Relations second{{.name = "other", .side = RelationSide::source, .pairs = {{0, 4}}},
                   {.name = "absent", .side = RelationSide::source, .pairs = {}},
                   first[0]};
  const auto a = sequence_with(first);
  const auto b = sequence_with(second);
  std::vector<RelationSums> whole = sums_of(a, {two_of_three, none_of_them});
  add_relations(whole, b, {all_of_them, two_of_three});
  std::vector<RelationSums> sum = sums_of(a, {two_of_three, none_of_them});
  add_relations(sum, sums_of(b, {all_of_them, two_of_three}));
  for (const auto& sums : {whole, sum}) {
    ASSERT_EQ(sums.size(), 2U);
    EXPECT_EQ(sums[0].queries, 6);
    EXPECT_THAT(sums[0].agreeing, ElementsAre(5, 2));
    EXPECT_THAT(sums[0].at_offset, ElementsAre(Pair(-2, 4), Pair(-1, 4)));
    EXPECT_EQ(sums[1].name, "other");
    EXPECT_THAT(sums[1].agreeing, ElementsAre(1, 0));  // query 0 looks at key 4, and at key 0
  }
}

RelationFigures figures(std::string name, double offset_share,
                        std::vector<std::optional<double>> agreement) {
  return {.name = std::move(name),
          .queries = 100,
          .random = std::vector<double>(agreement.size(), 0.1),
          .offset = -1,
          .offset_share = offset_share,
          .agreement = std::move(agreement)};
}

// Head 0 exceeds the offset most for the second relation; head 1 never exceeds chance.
TEST(HeadAgreement, names_the_relation_that_an_offset_explains_least) {
  const std::vector<RelationFigures> relations{figures("neighbour", 0.9, {0.95, 0.0}),
                                               figures("subject", 0.3, {0.8, 0.1})};
  EXPECT_EQ(closest_relation(relations, 0), 1U);
  EXPECT_EQ(closest_relation(relations, 1), std::nullopt);
  EXPECT_EQ(closest_relation({}, 0), std::nullopt);
  RelationFigures even = figures("neighbour", 0.3, {0.5, 0.5});
  even.random = {0.1, 0.5};  // the second head does not exceed chance
  EXPECT_EQ(closest_relation({even}, 0), 0U);
  EXPECT_EQ(closest_relation({even}, 1), std::nullopt);
}

TEST(RelationReport, names_the_best_head_of_each_relation) {
  std::vector<AttentionReport> attentions(2);
  attentions[0].site = {AttentionKind::encoder_self, 0};
  attentions[0].relations = {figures("subject", 0.3, {0.5, 0.25})};
  attentions[1].site = {AttentionKind::encoder_self, 1};
  attentions[1].relations = {figures("subject", 0.3, {0.0, 0.75})};
  EXPECT_EQ(relation_text(attentions[1], 1), "subject 75 %, best fixed offset 30 %");
  EXPECT_EQ(relation_text(attentions[1], 0), "");
  const std::string table = relations_table(attentions);
  EXPECT_THAT(table, AllOf(HasSubstr("-1: 30 %"), HasSubstr("encoder.layers.1.self  1"),
                           Not(HasSubstr("encoder.layers.0.self"))));
  EXPECT_THAT(table, HasSubstr("  agrees\n  -----")) << "a rule below the names of the columns";
  attentions[0].relations = {figures("subject", 0.3, {0, std::nullopt})};
  attentions[1].relations = {figures("object", 0.2, {std::nullopt})};
  EXPECT_THAT(relations_table(attentions),
              AllOf(Not(HasSubstr("encoder.layers.")), HasSubstr("   0 %\n"),
                    EndsWith("-1: 20 %")));  // what no head may do is blank
  attentions[0].relations.clear();
  attentions[1].relations.clear();
  EXPECT_EQ(relations_table(attentions), "");
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
