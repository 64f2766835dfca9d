// tapehead heads: the figures of each head of a trained model, as a table and as JSON.
#include <nlohmann/json.hpp>

#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

class Heads : public SharedRuns<Heads> {
 public:
  static void prepare() { here->output(tiny_training("a")); }

 protected:
  static ProgramResult heads(const Arguments& options) {
    return here->run(Arguments{"heads", "a"} + options);
  }
};

constexpr const char* columns = "attention               head  role";

TEST_F(Heads, are_told_in_a_few_lines) {
  const ProgramResult result = heads({});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(
      result.output,
      AllOf(HasSubstr("a/checkpoints/best.safetensors on validation (40 examples)\n"),
            HasSubstr(" of 12 heads ha"),
            HasSubstr("no head exceeds the best fixed offset for \"answer\", 100 % of the queries; "
                      "closest: decoder.layers.0.cross."),
            HasSubstr("most alike: "),
            ContainsRegex("look next: [^ ]*tapehead heads a --importance [(]"),
            ContainsRegex("all figures: [^ ]*tapehead heads a --all\n"),
            HasSubstr(" heads --legend\n"), Not(HasSubstr(columns)), Not(HasSubstr("docs/"))));
  EXPECT_LE(std::ranges::count(result.output, '\n'), 17) << "nine roles at most are named";
}

TEST_F(Heads, are_told_before_the_tables_of_all_figures) {
  const ProgramResult result = heads({"--all", "--split", "test"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("decoder.layers.0.cross"), HasSubstr("QK effective rank"),
                    HasSubstr("of all layers"), HasSubstr("best fixed offset  best head"),
                    HasSubstr("  same position  "), Not(HasSubstr("all figures: ")),
                    HasSubstr(" --importance --split test (")));
  EXPECT_LT(result.output.find("most alike: "), result.output.find(columns));
}

TEST_F(Heads, json) {
  const ProgramResult result = heads({"--json", "--split", "test"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const auto object = nlohmann::json::parse(result.output);
  EXPECT_EQ(object["split"], "test");
  ASSERT_EQ(object["attentions"].size(), 3U);
  for (const auto& attention : object["attentions"]) {
    ASSERT_EQ(attention["heads"].size(), 4U);
    for (const auto& head : attention["heads"]) {
      const double entropy = head["entropy"];
      EXPECT_GE(entropy, 0);
      EXPECT_LE(entropy, head["even_entropy"].get<double>() + 1e-6);
      double everywhere = 0;
      for (const auto& [offset, weight] : head["distance_profile"].items()) {
        everywhere += weight.is_null() ? 0 : weight.get<double>();
      }
      EXPECT_NEAR(everywhere, 1, 1e-5);  // float weights
      EXPECT_EQ(head["divergence"].size(), 4U);
      EXPECT_EQ(head["output_distance"].size(), 4U);
      EXPECT_TRUE(head["divergence_across"].empty()) << "there is one layer";
      EXPECT_EQ(head["nearest"]["attention"], attention["attention"]);
      EXPECT_GT(head["query_key"]["norm"], 0);
      EXPECT_LE(head["query_key"]["effective_rank"], head["query_key"]["width"]);
      EXPECT_GT(head["weight_on"]["same_position"], 0);
    }
    // The task copy knows a relation from target to source, but no relation within a side.
    const bool across = attention["attention"] == "decoder.layers.0.cross";
    ASSERT_EQ(attention["relations"].size(), across ? 1U : 0U);
    for (const auto& relation : attention["relations"]) {
      EXPECT_EQ(relation["name"], "answer");
      EXPECT_EQ(relation["offset"], 0);
      EXPECT_EQ(relation["offset_share"], 1);
      EXPECT_EQ(relation["agreement"].size(), 4U);
    }
  }
}

// Decoder self-attention is causal, cross-attention has no earlier occurrence of a token, and
// symbols are not punctuation.
TEST_F(Heads, have_null_where_a_figure_cannot_be) {
  const auto object = nlohmann::json::parse(heads({"--json"}).output);
  for (const auto& attention : object["attentions"]) {
    const std::string name = attention["attention"];
    for (const auto& head : attention["heads"]) {
      const auto is_null = [&](const std::string& place) {
        EXPECT_EQ(head["weight_on"][place].is_null(), head["even_weight_on"][place].is_null());
        return head["weight_on"][place].is_null();
      };
      EXPECT_TRUE(is_null("punctuation"));
      EXPECT_FALSE(is_null("first"));
      for (const char* place : {"next", "last"}) {
        EXPECT_EQ(is_null(place), name.starts_with("decoder.layers.0.self")) << name << place;
      }
      for (const char* place : {"induction", "duplicate"}) {
        EXPECT_EQ(is_null(place), name.ends_with("cross")) << name << place;
      }
      EXPECT_EQ(head["distance_profile"]["+1"].is_null(), name == "decoder.layers.0.self");
      EXPECT_EQ(head["query_key"]["asymmetry"].is_null(), name.ends_with("cross"));
    }
  }
}

TEST_F(Heads, importance) {
  const ProgramResult table = heads({"--importance"});
  EXPECT_EQ(table.exit_code, 0) << table.errors;
  EXPECT_THAT(table.output, AllOf(HasSubstr("loss without"), HasSubstr("loss alone"),
                                  HasSubstr("loss with all heads")));
  EXPECT_LT(table.output.find("most needed: "), table.output.find("loss alone"));
  EXPECT_THAT(table.output, Not(HasSubstr(columns))) << "those tables were not asked for";
  const auto object = nlohmann::json::parse(heads({"--importance", "--json"}).output);
  EXPECT_GT(object["importance"]["loss"], 0);
  ASSERT_EQ(object["importance"]["heads"].size(), 12U);  // four heads in each of three attentions
  for (const auto& head : object["importance"]["heads"]) {
    EXPECT_GT(head["loss_without"], 0);
    EXPECT_GT(head["loss_alone"], 0);
    EXPECT_GT(head["importance"], 0);
  }
}

TEST_F(Heads, prune) {
  const ProgramResult table = heads({"--prune"});
  EXPECT_EQ(table.exit_code, 0) << table.errors;
  EXPECT_LT(table.output.find(" of 12 heads can go together"), table.output.find("heads left"));
  const auto object = nlohmann::json::parse(heads({"--prune", "--json"}).output);
  ASSERT_EQ(object["pruning"]["steps"].size(), 12U);
  // Without heads, the model knows nothing of the source.
  EXPECT_GT(object["pruning"]["steps"].back()["loss"], object["pruning"]["loss"]);
}

// One attention has no output projection; heads of the remaining attentions are measured as usual.
TEST_F(Heads, without_gates_are_left_out_of_importance_and_pruning) {
  here->output(tiny_training("mixed", {"cross.combine=concatenate"}));
  const ProgramResult table = here->run({"heads", "mixed", "--importance", "--prune"});
  ASSERT_EQ(table.exit_code, 0) << table.errors;
  const std::string why =
      "left out: decoder.layers.0.cross: their outputs go through no projection";
  const std::size_t first = table.output.find(why);
  ASSERT_NE(first, std::string::npos) << table.output;
  EXPECT_NE(table.output.find(why, first + 1), std::string::npos) << "of both tables";
  const auto object = nlohmann::json::parse(
      here->run({"heads", "mixed", "--importance", "--prune", "--json"}).output);
  EXPECT_EQ(object["importance"]["heads"].size(), 8U);
  EXPECT_EQ(object["pruning"]["steps"].size(), 8U);
  for (const char* part : {"importance", "pruning"}) {
    ASSERT_EQ(object[part]["without_gates"].size(), 1U);
    EXPECT_EQ(object[part]["without_gates"][0]["attention"], "decoder.layers.0.cross");
    EXPECT_EQ(object[part]["without_gates"][0]["heads"], 4);
  }
}

TEST_F(Heads, legend_needs_no_run) {
  const ProgramResult legend = here->run({"heads", "--legend"});
  EXPECT_EQ(legend.exit_code, 0) << legend.errors;
  EXPECT_THAT(legend.output, AllOf(HasSubstr("\n  entropy "), HasSubstr("\n  previous token ")));
  EXPECT_THAT(here->refusal(2, {"heads"}), HasSubstr("name a run, or ask for --legend"));
}

TEST_F(Heads, legend_takes_no_other_option) {
  for (const Arguments& others : {Arguments{"nosuchrun"}, Arguments{"--importance"},
                                  Arguments{"--split", "test"}, Arguments{"--json"}}) {
    const Arguments arguments = Arguments{"heads", "--legend"} + others;
    const ProgramResult result = here->run(arguments);
    EXPECT_EQ(result.exit_code, 2) << PrintToString(arguments);
    EXPECT_THAT(result.errors, HasSubstr(" has no effect with --legend"));
  }
  EXPECT_THAT(here->run({"heads", "--reference", "--all"}).errors,
              HasSubstr("--all has no effect with --reference"));
}

TEST_F(Heads, csv_has_a_line_for_each_head_with_the_figures_of_json) {
  const std::string csv = heads({"--csv"}).output;
  std::vector<std::vector<std::string>> lines;
  std::istringstream text(csv);
  for (std::string line; std::getline(text, line);) {
    std::istringstream fields(line + ",");
    lines.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) {
      lines.back().push_back(field);
    }
  }
  ASSERT_EQ(lines.size(), 13U) << "12 heads under the names";
  EXPECT_TRUE(csv.starts_with("attention,stack,layer,kind,head,role,entropy,even_entropy,")) << csv;
  EXPECT_THAT(csv, HasSubstr("\ndecoder.layers.0.cross,decoder,0,cross,3,"));
  const auto json = nlohmann::json::parse(heads({"--json"}).output);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    ASSERT_EQ(lines[i].size(), lines[0].size()) << lines[i][0];
    const auto& head = json["attentions"][(i - 1) / 4]["heads"][(i - 1) % 4];
    for (const auto& [name, path] : {std::pair("entropy", "/entropy"), std::pair("role", "/role"),
                                     std::pair("weight_on.next", "/weight_on/next"),
                                     std::pair("nearest.head", "/nearest/head"),
                                     std::pair("query_key.norm", "/query_key/norm")}) {
      const auto column = std::ranges::find(lines[0], name) - lines[0].begin();
      const auto& value = head[nlohmann::json::json_pointer(path)];
      EXPECT_EQ(lines[i].at(static_cast<std::size_t>(column)), value.is_null() ? ""
                                                               : value.is_string()
                                                                   ? value.get<std::string>()
                                                                   : value.dump())
          << name;
    }
  }
  EXPECT_EQ(heads({"--csv", "--json"}).exit_code, 2);
}

TEST_F(Heads, threads_change_nothing) {
  EXPECT_EQ(heads({"--json", "--threads", "1"}).output, heads({"--json", "--threads", "3"}).output);
}

TEST_F(Heads, what_is_not_there_is_refused) {
  const ProgramResult split = heads({"--split", "training"});
  EXPECT_EQ(split.exit_code, 1);
  EXPECT_THAT(split.errors, HasSubstr("no split named training; this task has train"));
  EXPECT_THAT(here->refusal(1, {"heads", "nowhere"}), HasSubstr("nowhere"));
}

}}  // namespace tapehead
