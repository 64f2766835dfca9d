// Every figure and column has an explanation; a figure that does not exist is blank or null.
#include "lab/heads/head_report.hpp"

#include <regex>

#include "lab/heads/attention_report.hpp"
#include "lab/heads/conclusions.hpp"
#include "lab/removal/head_importance.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/program.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// One head with every figure known.
std::vector<AttentionReport> one_head() {
  const MapFigures map{.norm = 1, .effective_rank = 1, .width = 1};
  HeadReport head;
  head.maps = HeadMaps{.query_key = map, .value_output = map, .asymmetry = 0.1};
  head.divergence = head.output_distance = {0};
  head.nearest = NearestHead{.site = {AttentionKind::cross, 1}};
  const RelationFigures answer{.name = "answer", .queries = 1, .random = {0.5}, .agreement = {1}};
  return {
      {.site = {AttentionKind::cross, 0}, .queries = 1, .heads = {head}, .relations = {answer}}};
}

// Keys without an explanation of their own: parts of other figures, and numbers of heads.
using Keys = std::set<std::string>;
const Keys without_words{"head",
                         "even_entropy",
                         "even_weight_on",
                         "offset_share",
                         "output_distance",
                         "divergence_across",
                         "query_key.width",
                         "value_output.width"};

// The paths of all figures; entries by offset or by head count as one path.
void add_keys(Keys& keys, const nlohmann::ordered_json& json, const std::string& prefix) {
  for (const auto& [name, value] : json.items()) {
    const std::string key = prefix + name;
    if (without_words.contains(key)) {
      continue;
    }
    if (value.is_object() && key != "distance_profile" && key != "nearest") {
      add_keys(keys, value, key + ".");
    } else {
      keys.insert(key);
    }
  }
}

TEST(HeadLegend, has_every_figure_of_a_page) {
  Keys keys{"loss_without", "importance"};
  add_keys(keys, heads_json(one_head())[0]["heads"][0], "");
  Keys told;
  const auto legend = legend_json();
  for (const auto& column : legend["columns"]) {
    EXPECT_FALSE(column["name"].get<std::string>().empty());
    EXPECT_FALSE(column["meaning"].get<std::string>().empty());
    told.insert(column["key"].get<std::string>());
  }
  EXPECT_EQ(told, keys);
  EXPECT_TRUE(content_of(TAPEHEAD_SOURCE_DIR "/docs/head-figures.md") == legend_reference())
      << "docs/head-figures.md is stale: run ./dev heads --reference > docs/head-figures.md";
}

// At least two spaces separate the names in a table's first line.
std::vector<std::string> columns_of(const std::string& table) {
  const std::string line = table.substr(0, table.find('\n')) + "  ";
  const std::regex gap("  +");
  std::vector<std::string> names(std::sregex_token_iterator(line.begin(), line.end(), gap, -1),
                                 std::sregex_token_iterator());
  std::erase(names, "");
  return names;
}

TEST(HeadLegend, has_every_column_of_the_terminal) {
  const std::vector<AttentionReport> heads = one_head();
  const Importance importance{.heads = {{.head = {}}}};
  const PruningCurve curve{.steps = {{.removed = HeadNames(1)}}};
  const std::string text = legend_text();
  std::size_t count = 0;
  for (const std::string& table : {heads_table(heads), heads_table(heads, HeadTable::matrices),
                                   heads_table(heads, HeadTable::pairs), relations_table(heads),
                                   table_of(gate_rows(), std::vector<GatedHead>(1)),
                                   importance_table(importance), pruning_table(curve)}) {
    for (const std::string& name : columns_of(table)) {
      EXPECT_THAT(text, HasSubstr("\n  " + name + " "));
      ++count;
    }
  }
  EXPECT_EQ(count, 17 + 7 + 7 + 7 + 4 + 7 + 5) << "as many as the tables have";
  const auto roles = role_legend();
  ASSERT_EQ(roles.size(), role_names.size() - 1) << "none has no threshold";
  for (std::size_t i = 0; i < roles.size(); ++i) {
    EXPECT_EQ(roles[i].first, role_names[i]);
  }
  EXPECT_THAT(roles.front().second, HasSubstr("90 %"));  // from RoleThresholds
  EXPECT_THAT(text, HasSubstr("90 % of the queries"));
}

// One head without known figures, and one whose figures are 0.
std::vector<AttentionReport> two_heads() {
  HeadReport zero;
  for (const HeadFigureRow& row : head_figure_rows()) {
    if (row.of_query) {
      zero.figures.means[row.key] = {.value = 0, .even = 0};
    }
  }
  zero.figures.distance_profile.fill(0);
  zero.figures.offset = 0;
  zero.figures.offset_share = 0;
  zero.maps = HeadMaps{.query_key = {}, .value_output = {}, .asymmetry = {}};
  AttentionReport report;
  report.site = {AttentionKind::encoder_self, 0};
  report.heads = {HeadReport(), zero};
  report.relations = {
      {.name = "answer", .queries = 2, .random = {0, 0.5}, .agreement = {std::nullopt, 0}}};
  return {report};
}

TEST(HeadReport, has_blanks_or_null_for_what_cannot_be) {
  // Behind the names of the columns and a rule.
  EXPECT_THAT(lines_of(heads_table(two_heads())),
              ElementsAre(_, _, EndsWith("  0  none"),
                          AllOf(HasSubstr("0.00 of 0.00"), EndsWith("+0: 0 %"))));
  EXPECT_THAT(lines_of(heads_table(two_heads(), HeadTable::matrices)),
              ElementsAre(_, _, EndsWith("  0"), EndsWith("  0.00")))
      << "no rank behind the norm";
  // The first head has no matrices; the second head has.
  EXPECT_THAT(heads_csv(two_heads()),
              AllOf(HasSubstr(",nearest,query_key.norm,"),  // no head has a nearest one
                    Not(HasSubstr(",query_key,")),          // a column for a group
                    HasSubstr("\nencoder.layers.0.self,encoder,0,self,0,none,,,,"),
                    HasSubstr("\nencoder.layers.0.self,encoder,0,self,1,none,0.0,0.0,0.0,")));
  const auto json = heads_json(two_heads())[0];
  EXPECT_EQ(json["relations"][0]["agreement"], nlohmann::ordered_json({nullptr, 0.0}));
  const auto& nothing = json["heads"][0];
  const auto& zero = json["heads"][1];
  for (const char* figure : {"entropy", "even_entropy", "confidence", "offset", "offset_share",
                             "nearest", "query_key", "value_output"}) {
    ASSERT_TRUE(nothing.contains(figure)) << figure;
    EXPECT_TRUE(nothing[figure].is_null()) << figure;
  }
  for (const char* figures : {"weight_on", "even_weight_on", "distance_profile"}) {
    for (const auto& [name, figure] : nothing[figures].items()) {
      EXPECT_TRUE(figure.is_null()) << figures << " " << name;
      EXPECT_EQ(zero[figures][name], 0) << figures << " " << name;
    }
  }
  EXPECT_EQ(zero["entropy"], 0);
  EXPECT_EQ(zero["offset"], 0);
  EXPECT_EQ(zero["query_key"]["norm"], 0);
  EXPECT_TRUE(zero["query_key"]["effective_rank"].is_null());
  EXPECT_TRUE(zero["query_key"]["asymmetry"].is_null());
}

TEST(HeadFigureRows, have_names_of_their_own_and_one_origin) {
  EXPECT_NO_THROW(expect_figure_rows(head_figure_rows()));
  const auto of = [](const ReportedHead&) { return nlohmann::ordered_json(1); };
  const auto of_query = [](const AttendedQuery&) { return std::optional<QueryFigure>(); };
  for (const auto& [row, says] : std::vector<std::pair<HeadFigureRow, std::string>>{
           {{.key = "entropy", .of = of}, "entropy: another figure has its name"},
           {{.key = "a", .of = of, .sweep = "confidence"}, "a: another figure has its name"},
           {{.key = "a.b.c", .of = of}, "a.b.c: a key has one dot at most"},
           {{.key = "a", .column = "a", .of = of}, "a: a column needs `help`"},
           {{.key = "a", .of = of, .of_query = of_query}, "not both"},
           {{.key = "a"}, "it has neither"},
           {{.key = "", .column = "a", .help = "b", .of_query = of_query},
            "a: a mean over queries needs"}}) {
    std::vector<HeadFigureRow> rows = head_figure_rows();
    rows.push_back(row);
    EXPECT_THAT(message_of<ConfigError>([&] { expect_figure_rows(rows); }), HasSubstr(says));
  }
}

// A user-defined figure: the weight two positions back, for queries that have such a key.
TEST(HeadFigureRows, of_somebodys_own_are_everywhere) {
  std::vector<HeadFigureRow> rows = head_figure_rows();
  rows.push_back({.key = "weight_on.two_back",
                  .column = "two back",
                  .help = "percent two positions before",
                  .format = as_percent,
                  .of_query =
                      [](const AttendedQuery& at) {
                        return at.weight_on([&](Index key) { return key == at.query - 2; });
                      },
                  .even = true,
                  .sweep = "two_back"});
  const std::vector<TokenId> tokens{3, 4, 5};
  const std::vector<Pattern> patterns{Pattern::full()};
  const TokenFacts facts{.occurrences = {0, 0, 0, 1, 1, 1}, .punctuation = std::vector<bool>(6)};
  HeadSums sums;
  sums.add({.keys = tokens,
            .queries = tokens,
            .self = true,
            .causal = false,
            .patterns = patterns,
            .key_facts = facts},
           0, std::vector<Scalar>{1, 0, 0, 0, 1, 0, 0.75, 0.25, 0}, rows);
  AttentionReport report;
  report.site = {AttentionKind::encoder_self, 0};
  report.heads.emplace_back();
  report.heads[0].figures = figures_of(sums, rows);
  const auto json = heads_json({report}, rows)[0]["heads"][0];
  EXPECT_EQ(json["weight_on"]["two_back"], 0.75);
  EXPECT_DOUBLE_EQ(json["even_weight_on"]["two_back"].get<double>(), 1.0 / 3);
  const std::string table = heads_table({report}, HeadTable::weights, rows);
  EXPECT_EQ(columns_of(table).back(), "two back");
  EXPECT_THAT(table, EndsWith(" 75"));
  EXPECT_THAT(legend_text(rows), HasSubstr("\n  two back       percent two positions before\n"));
  EXPECT_EQ(summary_of({report}, rows).at("encoder_self.two_back"), 0.75);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
