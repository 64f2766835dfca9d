// Every figure and every column has its meaning.
#include "lab/heads/head_legend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/heads/head_report.hpp"
#include "lab/heads/pair_report.hpp"
#include "lab/heads/relation_report.hpp"
#include "lab/removal/gated_heads.hpp"
#include "lab/removal/removal_report.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

using ::testing::HasSubstr;

// One head for which everything is known.
std::vector<AttentionReport> one_head() {
  HeadReport head{.figures = {},
                  .maps = HeadMaps{.query_key = {}, .value_output = {}, .asymmetry = 0.1},
                  .divergence = {0},
                  .output_distance = {0},
                  .nearest = NearestHead{.site = {AttentionKind::cross, 1}}};
  RelationFigures answer;
  answer.name = "answer";
  answer.queries = 1;
  answer.random = {0.5};
  answer.agreement = {1};
  return {
      {.site = {AttentionKind::cross, 0}, .queries = 1, .heads = {head}, .relations = {answer}}};
}

// Figures that others hold or that need no words: numbers of heads, and what even weights have.
const std::set<std::string> without_words{"head",
                                          "even_entropy",
                                          "even_weight_on",
                                          "offset_share",
                                          "output_distance",
                                          "divergence_across",
                                          "query_key.width",
                                          "value_output.width"};

// The paths of all figures, those by offset and by head as one.
void add_keys(std::set<std::string>& keys, const nlohmann::ordered_json& json,
              const std::string& prefix) {
  for (const auto& [name, value] : json.items()) {
    const std::string key = prefix + name;
    const bool whole = key == "distance_profile" || key == "nearest" || !value.is_object();
    if (without_words.contains(key)) {
      continue;
    }
    if (whole) {
      keys.insert(key);
    } else {
      add_keys(keys, value, key + ".");
    }
  }
}

TEST(HeadLegend, has_every_figure_of_a_page) {
  std::set<std::string> keys{"loss_without", "importance"};
  add_keys(keys, heads_json(one_head())[0]["heads"][0], "");
  std::set<std::string> told;
  const auto legend = legend_json();
  for (const auto& column : legend["columns"]) {
    EXPECT_FALSE(column["name"].get<std::string>().empty());
    EXPECT_FALSE(column["meaning"].get<std::string>().empty());
    told.insert(column["key"].get<std::string>());
  }
  EXPECT_EQ(told, keys);
}

// The names in a table's first line stand at least two spaces apart.
std::vector<std::string> columns_of(const std::string& table) {
  std::vector<std::string> names;
  std::string name;
  for (const char c : table.substr(0, table.find('\n')) + "  ") {
    if (c != ' ' || (!name.empty() && name.back() != ' ')) {
      name += c;
    } else if (!name.empty()) {
      name.pop_back();
      names.push_back(std::exchange(name, ""));
    }
  }
  return names;
}

TEST(HeadLegend, has_every_column_of_the_terminal) {
  const std::vector<AttentionReport> heads = one_head();
  const Importance importance{.heads = {{.head = {}}}};
  const PruningCurve curve{.steps = {{.removed = {}}}};
  const std::string text = legend_text();
  std::size_t count = 0;
  for (const std::string& table :
       {heads_table(heads), maps_table(heads), pairs_table(heads), relations_table(heads),
        gates_table({{.head = {}}}), importance_table(importance), pruning_table(curve)}) {
    for (const std::string& name : columns_of(table)) {
      EXPECT_THAT(text, HasSubstr("\n  " + name + " "));
      ++count;
    }
  }
  EXPECT_EQ(count, 17 + 7 + 7 + 7 + 4 + 7 + 5) << "as many as the tables have";
}

TEST(HeadLegend, has_every_role_with_its_threshold) {
  const auto roles = role_legend({.positional = 0.75});
  ASSERT_EQ(roles.size(), role_names.size() - 1) << "none has no threshold";
  for (std::size_t i = 0; i < roles.size(); ++i) {
    EXPECT_EQ(roles[i].first, role_names[i]);
  }
  EXPECT_THAT(roles.front().second, HasSubstr("75 %"));
  EXPECT_THAT(legend_text(), HasSubstr("90 % of the queries"));
}

}  // namespace

}  // namespace tapehead::inline TAPEHEAD_PRECISION
