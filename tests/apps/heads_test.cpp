// tapehead heads: the figures of each head of a trained model, as a table and as JSON, and since
// when each head has its role.
#include "tests/support/browser.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

class Heads : public SharedRuns<Heads> {
 public:
  static void prepare() { here->output(tiny_training("a")); }

 protected:
  static std::string heads(const Arguments& options) {
    return here->output(Arguments{"heads", "a"} + options);
  }
  static nlohmann::json json(const Arguments& options = {}) {
    return here->json_of(Arguments{"heads", "a", "--json"} + options);
  }
};

constexpr const char* columns = "attention               head  role";

TEST_F(Heads, are_told_in_a_few_lines_before_the_tables_of_all_figures) {
  const std::string told = heads({});
  EXPECT_THAT(
      told,
      AllOf(HasSubstr("a/checkpoints/best.safetensors on validation (40 examples)\n"),
            HasSubstr(" of 12 heads ha"),
            HasSubstr(
                "best fixed offset for \"answer\": 100 % of the queries, which no head exceeds; "
                "closest: decoder.layers.0.cross."),
            HasSubstr("most alike: "),
            ContainsRegex("look next: [^ ]*tapehead heads a --importance [(]"),
            ContainsRegex("all figures: [^ ]*tapehead heads a --all\n"),
            HasSubstr(" heads --legend\n"), Not(HasSubstr(columns)), Not(HasSubstr("docs/"))));
  EXPECT_LE(std::ranges::count(told, '\n'), 17) << "nine roles at most are named";
  const std::string all = heads({"--all", "--split", "test"});
  EXPECT_THAT(all, AllOf(HasSubstr("decoder.layers.0.cross"), HasSubstr("QK effective rank"),
                         HasSubstr("of all layers"), HasSubstr("best fixed offset  best head"),
                         HasSubstr("  same position  "), Not(HasSubstr("all figures: ")),
                         HasSubstr(" --importance --split test (")));
  EXPECT_LT(all.find("most alike: "), all.find(columns));
  EXPECT_THAT(here->output("heads --legend"),
              AllOf(HasSubstr("\n  entropy "), HasSubstr("\n  previous token ")));
}

// A figure that cannot be is null: decoder self-attention is causal, cross-attention has no earlier
// occurrence of a token, and symbols are not punctuation.
TEST_F(Heads, json) {
  const auto object = json({"--split", "test"});
  EXPECT_EQ(object["split"], "test");
  ASSERT_EQ(object["attentions"].size(), 3U);
  for (const auto& attention : object["attentions"]) {
    const std::string name = attention["attention"];
    const bool causal = name == "decoder.layers.0.self";
    const bool across = name == "decoder.layers.0.cross";
    SCOPED_TRACE(name);
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
      EXPECT_EQ(head["nearest"]["attention"], name);
      EXPECT_GT(head["query_key"]["norm"], 0);
      EXPECT_LE(head["query_key"]["effective_rank"], head["query_key"]["width"]);
      EXPECT_GT(head["weight_on"]["same_position"], 0);
      for (const char* figures : {"weight_on", "even_weight_on"}) {
        EXPECT_TRUE(head[figures]["punctuation"].is_null());
        EXPECT_FALSE(head[figures]["first"].is_null());
        EXPECT_EQ(head[figures]["next"].is_null(), causal);
        EXPECT_EQ(head[figures]["duplicate"].is_null(), across);
      }
      EXPECT_EQ(head["distance_profile"]["+1"].is_null(), causal);
      EXPECT_EQ(head["query_key"]["asymmetry"].is_null(), across);
    }
    // The task copy knows a relation from target to source, but no relation within a side.
    ASSERT_EQ(attention["relations"].size(), across ? 1U : 0U);
    for (const auto& relation : attention["relations"]) {
      EXPECT_EQ(relation["name"], "answer");
      EXPECT_EQ(relation["offset"], 0);
      EXPECT_EQ(relation["offset_share"], 1);
      EXPECT_EQ(relation["agreement"].size(), 4U);
    }
  }
  EXPECT_EQ(json({"--threads", "1"}), json({"--threads", "3"}));
}

TEST_F(Heads, importance_and_prune) {
  const std::string importance = heads({"--importance"});
  EXPECT_THAT(importance, AllOf(HasSubstr("loss without"), HasSubstr("loss alone"),
                                HasSubstr("loss with all heads"), Not(HasSubstr(columns))));
  EXPECT_LT(importance.find("most needed: "), importance.find("loss alone"));
  const std::string pruning = heads({"--prune"});
  EXPECT_LT(pruning.find(" of 12 heads can be removed together"), pruning.find("heads left"));
  const auto object = json({"--importance", "--prune"});
  EXPECT_GT(object["importance"]["loss"], 0);
  ASSERT_EQ(object["importance"]["heads"].size(), 12U);  // four heads in each of three attentions
  for (const auto& head : object["importance"]["heads"]) {
    EXPECT_GT(head["loss_without"], 0);
    EXPECT_GT(head["loss_alone"], 0);
    EXPECT_GT(head["importance"], 0);
  }
  ASSERT_EQ(object["pruning"]["steps"].size(), 12U);
  // Without heads, the model knows nothing of the source.
  EXPECT_GT(object["pruning"]["steps"].back()["loss"], object["pruning"]["loss"]);
}

// One attention has no output projection; heads of the remaining attentions are measured as usual.
TEST_F(Heads, without_gates_are_left_out_of_importance_and_pruning) {
  here->output(tiny_training("mixed", {"cross.combine=concatenate"}));
  const std::string why =
      "left out: decoder.layers.0.cross: their outputs go through no projection";
  const std::string tables = here->output("heads mixed --importance --prune");
  EXPECT_LT(tables.find(why), tables.rfind(why)) << "of both: " << tables;
  const auto object = here->json_of("heads mixed --importance --prune --json");
  EXPECT_EQ(object["importance"]["heads"].size(), 8U);
  EXPECT_EQ(object["pruning"]["steps"].size(), 8U);
  for (const char* part : {"importance", "pruning"}) {
    ASSERT_EQ(object[part]["without_gates"].size(), 1U);
    EXPECT_EQ(object[part]["without_gates"][0]["attention"], "decoder.layers.0.cross");
    EXPECT_EQ(object[part]["without_gates"][0]["heads"], 4);
  }
}

TEST_F(Heads, csv_has_a_line_for_each_head_with_the_figures_of_json) {
  const std::string csv = heads({"--csv"});
  std::vector<std::vector<std::string>> lines;
  for (const std::string& line : lines_of(csv)) {
    std::istringstream fields(line + ",");
    lines.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) {
      lines.back().push_back(field);
    }
  }
  ASSERT_EQ(lines.size(), 13U) << "12 heads under the names";
  EXPECT_TRUE(csv.starts_with("attention,stack,layer,kind,head,role,entropy,even_entropy,")) << csv;
  EXPECT_THAT(csv, HasSubstr("\ndecoder.layers.0.cross,decoder,0,cross,3,"));
  const auto object = json();
  for (std::size_t i = 1; i < lines.size(); ++i) {
    ASSERT_EQ(lines[i].size(), lines[0].size()) << lines[i][0];
    const auto& head = object["attentions"][(i - 1) / 4]["heads"][(i - 1) % 4];
    for (const auto& [name, path] : {std::pair("entropy", "/entropy"), std::pair("role", "/role"),
                                     std::pair("weight_on.next", "/weight_on/next"),
                                     std::pair("nearest.head", "/nearest/head"),
                                     std::pair("query_key.norm", "/query_key/norm")}) {
      const auto column = std::ranges::find(lines[0], name) - lines[0].begin();
      const auto& value = head[nlohmann::json::json_pointer(path)];
      const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
      EXPECT_EQ(lines[i].at(static_cast<std::size_t>(column)), value.is_null() ? "" : text) << name;
    }
  }
}

class HeadHistory : public ProgramRuns {};

// Long enough for a head to learn to find the previous token, which no head does at first.
TEST_F(HeadHistory, is_told_in_json_in_tables_and_on_the_page_of_the_run) {
  output(tiny_training("a", {"task.name=previous_token", "model.heads=2", "model.dropout=0",
                             "training.steps=300", "training.learning_rate=1e-2",
                             "training.checkpoint_every=40", "training.checkpoint_keep=all"}));
  const auto history = json_of("heads a --every-checkpoint --json");
  const auto& steps = history["steps"];
  ASSERT_EQ(steps.size(), 8U);
  EXPECT_EQ(steps[0]["step"], 40);
  EXPECT_EQ(steps.back()["attentions"], json_of("heads a --checkpoint last --json")["attentions"]);
  EXPECT_THAT(history["roles"],
              Contains(Truly([](const auto& since) { return since["step"] > 40; })));
  ASSERT_EQ(history["relations"].size(), 1U);
  const auto& relation = history["relations"][0];
  EXPECT_EQ(relation["relation"], "previous");
  const int since = relation["step"];
  EXPECT_GT(since, 40);
  EXPECT_EQ(relation["head"].get<std::string>().substr(0, 23), "decoder.layers.0.cross.");
  for (const auto& moment : steps) {  // the heads of cross-attention with its only relation
    const std::size_t head = relation["head"].get<std::string>().back() == '1' ? 1 : 0;
    const auto& agreement = moment["attentions"][2]["relations"][0]["agreement"];
    EXPECT_EQ(moment["step"] >= since, agreement[head] >= 0.8) << moment["step"];
  }
  EXPECT_THAT(output("heads a --every-checkpoint --all"),
              AllOf(HasSubstr("8 checkpoints of steps 40 to 300"),
                    HasSubstr(fmt::format(" follows it from step {} on", since)),
                    HasSubstr("step  previous\n")));

  output("report a --every-checkpoint --output a.html");
  const auto page = visit(here / "a.html", R"(
    const chooser = document.getElementById('head-figure');
    const count = (selector) => document.querySelectorAll(`#head-curves ${selector}`).length;
    const curves = () => JSON.parse(document.getElementById('report').textContent).head_curves;
    const first = {panels: count('figure'), lines: count('path.line'), dots: count('.dots circle')};
    chooser.value = 'largest weight';
    chooser.dispatchEvent(new Event('change'));
    const slider = document.getElementById('attention-step');
    const map = () => document.querySelector('.all-heads').querySelector('[data-head="decoder.layers.0.cross.0"] svg').innerHTML;
    const moves = [8, 0, 7].map((place) => {
      slider.value = place;
      slider.dispatchEvent(new Event('input'));
      return {told: document.querySelector('#attention output').textContent, map: map()};
    });
    return {moves, most: slider.max, text: document.getElementById('attention').textContent,
            first, panels: count('figure'), lines: count('path.line'), curves: curves(),
            choices: [...chooser.options].map((one) => one.value),
            since: [...document.querySelectorAll('.since li')].map((one) => one.textContent)};)");
  EXPECT_EQ(page["most"], "8");
  EXPECT_THAT(page["text"].get<std::string>(), HasSubstr("The slider has 8 of the 8 steps"));
  const auto& moves = page["moves"];
  EXPECT_EQ(moves[0]["told"], " of the page");
  EXPECT_EQ(moves[1]["told"], " of step 40");
  EXPECT_EQ(moves[2]["told"], " of step 300");
  EXPECT_NE(moves[1]["map"], moves[2]["map"]);
  expect_members(page["first"], {{"panels", 1},   // only one attention has the relation
                                 {"lines", 2},    // two heads
                                 {"dots", 16}});  // eight checkpoints per head
  expect_members(page, {{"panels", 3}, {"lines", 6}});
  EXPECT_EQ(page["choices"][0], "follows previous");
  EXPECT_EQ(page["since"].size(), history["relations"].size() + history["roles"].size());
  EXPECT_THAT(page["since"][0].get<std::string>(),
              HasSubstr(fmt::format("follows “previous” from step {} on (", since)));
  for (std::size_t a = 0; a < 3; ++a) {
    const auto& drawn = page["curves"]["attentions"][a]["figures"]["largest weight"];
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t head = 0; head < 2; ++head) {
        EXPECT_NEAR(drawn[i][head].get<double>(),
                    steps[i]["attentions"][a]["heads"][head]["confidence"].get<double>(), 1e-6);
      }
    }
  }
}

}}  // namespace tapehead
