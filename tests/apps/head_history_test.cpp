// `tapehead heads --every-checkpoint`: since when each head has its role.
#include "core/files/json_text.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

class HeadHistory : public ProgramRuns {};

// The role of a head such as "decoder.layers.0.cross.2" at one step.
std::string role_at(const Json& moment, const std::string& name) {
  const std::size_t dot = name.rfind('.');
  for (const Json& attention : moment["attentions"]) {
    if (attention["attention"] == name.substr(0, dot)) {
      return attention["heads"][std::stoul(name.substr(dot + 1))]["role"];
    }
  }
  return "no such head";
}

// Long enough for a head to learn to find the previous token, which no head does at first.
Arguments previous_token_training() {
  return tiny_training("a", {"task.name=previous_token", "model.heads=2", "model.dropout=0",
                             "training.steps=300", "training.learning_rate=1e-2",
                             "training.checkpoint_every=40", "training.checkpoint_keep=all"});
}

TEST_F(HeadHistory, says_since_when_a_head_has_its_role) {
  output(previous_token_training());
  const Json history = Json::parse(output({"heads", "a", "--every-checkpoint", "--json"}));
  ASSERT_EQ(history["steps"].size(), 8U);
  EXPECT_EQ(history["steps"][0]["step"], 40);
  const Json last = Json::parse(output({"heads", "a", "--checkpoint", "last", "--json"}));
  EXPECT_EQ(history["steps"].back()["attentions"], last["attentions"]);
  ASSERT_FALSE(history["roles"].empty());
  bool later = false;
  for (const Json& since : history["roles"]) {
    const auto head = since["head"].get<std::string>();
    const auto role = since["role"].get<std::string>();
    for (std::size_t i = 0; i < history["steps"].size(); ++i) {
      const Json& moment = history["steps"][i];
      if (moment["step"] >= since["step"]) {
        EXPECT_EQ(role_at(moment, head), role) << head << " at " << moment["step"];
      } else if (history["steps"][i + 1]["step"] == since["step"]) {
        EXPECT_NE(role_at(moment, head), role) << head << " at " << moment["step"];
        later = true;
      }
    }
  }
  EXPECT_TRUE(later) << "no role began after the first checkpoint";
}

// The share of queries for which a head agrees with the attention's only relation.
double agreement_at(const Json& moment, const std::string& name) {
  const std::size_t dot = name.rfind('.');
  for (const Json& attention : moment["attentions"]) {
    if (attention["attention"] == name.substr(0, dot)) {
      return attention["relations"][0]["agreement"][std::stoul(name.substr(dot + 1))];
    }
  }
  return 0;
}

TEST_F(HeadHistory, says_since_when_a_head_follows_a_relation) {
  output(previous_token_training());
  const Json history = Json::parse(output({"heads", "a", "--every-checkpoint", "--json"}));
  ASSERT_EQ(history["relations"].size(), 1U);
  const Json& since = history["relations"][0];
  EXPECT_EQ(since["relation"], "previous");
  EXPECT_GT(since["step"], 40);
  for (const Json& moment : history["steps"]) {
    EXPECT_EQ(moment["step"] >= since["step"], agreement_at(moment, since["head"]) >= 0.8)
        << moment["step"];
  }
  const std::string step = std::to_string(since["step"].get<int>());
  EXPECT_THAT(
      output({"heads", "a", "--every-checkpoint", "--all"}),
      AllOf(HasSubstr("8 checkpoints of steps 40 to 300"),
            HasSubstr(" follows it from step " + step + " on"), HasSubstr("step  previous\n")));
}

// The page of the run shows the same figures, from the 60 validation sentences.
TEST_F(HeadHistory, is_drawn_on_the_page_of_the_run) {
  output(previous_token_training());
  const Json history = Json::parse(output({"heads", "a", "--every-checkpoint", "--json"}));
  output({"report", "a", "--every-checkpoint", "--output", "a.html"});
  const Json page = visit(here / "a.html", R"(
    const chooser = document.getElementById('head-figure');
    const count = (selector) => document.querySelectorAll(`#head-curves ${selector}`).length;
    const curves = () => JSON.parse(document.getElementById('report').textContent).head_curves;
    const first = {panels: count('figure'), lines: count('path.line'), dots: count('.dots circle')};
    chooser.value = 'largest weight';
    chooser.dispatchEvent(new Event('change'));
    return {first, panels: count('figure'), lines: count('path.line'), curves: curves(),
            choices: [...chooser.options].map((one) => one.value),
            since: [...document.querySelectorAll('.since li')].map((one) => one.textContent)};)");
  EXPECT_EQ(page["first"]["panels"], 1);  // only decoder self-attention has the relation
  EXPECT_EQ(page["first"]["lines"], 2);   // two heads
  EXPECT_EQ(page["first"]["dots"], 16);   // eight checkpoints per head
  EXPECT_EQ(page["panels"], 3);
  EXPECT_EQ(page["lines"], 6);
  EXPECT_EQ(page["choices"][0], "follows previous");
  EXPECT_EQ(page["since"].size(), history["relations"].size() + history["roles"].size());
  EXPECT_THAT(page["since"][0].get<std::string>(),
              HasSubstr("follows “previous” from step " +
                        std::to_string(history["relations"][0]["step"].get<int>()) + " on ("));
  for (std::size_t a = 0; a < 3; ++a) {
    const Json& drawn = page["curves"]["attentions"][a]["figures"]["largest weight"];
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t head = 0; head < 2; ++head) {
        EXPECT_EQ(drawn[i][head],
                  history["steps"][i]["attentions"][a]["heads"][head]["confidence"]);
      }
    }
  }
}

TEST_F(HeadHistory, needs_two_checkpoints) {
  output(tiny_training("a", {"training.checkpoint_keep=1"}));
  EXPECT_THAT(here.refusal(1, {"report", "a", "--every-checkpoint"}),
              HasSubstr("run a keeps 1 checkpoint of its steps"));
  EXPECT_THAT(here.refusal(1, {"heads", "a", "--every-checkpoint"}),
              HasSubstr("run a keeps 1 checkpoint of its steps, and a history needs "
                        "two: train with training.checkpoint_keep"));
}

}}  // namespace tapehead
