// One head in numbers on a page: its matrices, the row of the followed token, and weights for other
// scores.
#include "core/text.hpp"
#include "lab/report/page.hpp"
#include "tests/support/browser.hpp"

namespace tapehead { namespace {

Json step(const std::string& key, const std::string& name, const std::string& formula,
          const std::string& rows, const std::string& columns, const Json& values) {
  return {{"step", key},
          {"name", name},
          {"formula", formula},
          {"help", "what " + key + " is for"},
          {"rows", rows},
          {"columns", columns},
          {"shape", {values.size(), values[0].size()}},
          {"values", values}};
}

// Three tokens that see no later ones. The scores are multiples of log 2, with four digits.
Json short_walk() {
  const Json all = {{0, 0.6931, 1.386}, {0, 0.6931, -0.6931}, {0, 0.6931, 1.386}};
  Json seen = all;
  seen[0][1] = seen[0][2] = seen[1][2] = nullptr;
  return {{"head", "decoder.layers.0.self.1"},
          {"queries", {"<s>", "old", "dog"}},
          {"keys", {"<s>", "old", "dog"}},
          {"steps",
           {step("query_weight", "W_Q", "", "", "", {{1, 2, 3, 4}, {5, 6, 7, 8}}),
            step("query", "Q", "X W_Q", "query", "", {{1, -2, 0, 0.5}, {0, 0, 0, 0}, {0, 0, 0, 1}}),
            step("key", "K", "X W_K", "key", "", {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}),
            step("products", "P", "Q Kᵀ", "query", "key",
                 {{0, 1.386, 2.773}, {0, 1.386, -1.386}, {0, 1.386, 2.773}}),
            step("scaled", "S", "P / √4", "query", "key", all),
            step("visible", "S_V", "S, but -∞ for later keys", "query", "key", seen),
            step("weights", "W", "softmax of S_V", "query", "key",
                 {{1, 0, 0}, {0.3333, 0.6667, 0}, {0.1429, 0.2857, 0.5714}})}}};
}

nlohmann::json see(const Json& walk, const std::string& script, const Browsing& browsing = {}) {
  const TemporaryDirectory here;
  std::ofstream(here / "page.html", std::ios::binary)
      << report_page({{"name", "a"}, {"walk", walk}});
  return visit(here / "page.html", R"(
    const count = (selector) => document.querySelectorAll(selector).length;
    const texts = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
    const change = (selector, value, kind) => {
      document.querySelector(selector).value = value;
      document.querySelector(selector).dispatchEvent(new Event(kind));
    };
    const at = (selector, x, y) => {  // a place in a matrix of three rows
      const {left, top, width, height} = document.querySelector(selector).getBoundingClientRect();
      return {bubbles: true, clientX: left + x * width, clientY: top + (y + 0.5) / 3 * height};
    };
  )" + script,
               browsing);
}

TEST(WalkPage, follows_the_row_of_a_token_through_all_matrices) {
  const auto page = see(short_walk(), R"(
    const followed = () => ({token: document.getElementById('followed').value, query: texts('[data-step=query] .numbers span'),
      scores: texts('[data-step=visible] .numbers span'),
      rows: [...document.querySelectorAll('#walk rect.picked')].map((one) => `${one.getAttribute('visibility')} ${one.getAttribute('y')}`)});
    const first = followed();
    document.querySelector('[data-step=query] .cells').dispatchEvent(new MouseEvent('click', at('[data-step=query] .cells', 0.5, 0)));
    const clicked = followed();
    document.querySelector('[data-step=weights] .queries').dispatchEvent(new MouseEvent('click', at('[data-step=weights] .queries', 0.5, 2)));
    const beside = followed();
    document.querySelector('[data-step=key] svg:last-child').dispatchEvent(new MouseEvent('click', at('[data-step=key] svg:last-child', 0.5, 0)));
    const key = followed();
    change('#followed', 1, 'change');
    const told = (x, y) => {
      const cells = document.querySelector('[data-step=visible] .cells');
      cells.dispatchEvent(new PointerEvent('pointermove', at('[data-step=visible] .cells', x, y)));
      return texts('.tip div');
    };
    return {first, clicked, beside, key, chosen: followed(), hidden: told(0.9, 0), seen: told(0.5, 2), title: texts('h2'), about: texts('#walk > .remark')[0],
            names: texts('#walk figcaption'), shapes: texts('.step b'), helps: texts('[data-step=visible] .remark'),
            tokens: texts('#followed option'),
            hatched: document.querySelector('[data-step=visible] .hatch').getAttribute('d'),
            colours: [...document.querySelectorAll('[data-step=query] [fill-opacity]')].map((one) =>
              [one.getAttribute('class'), one.getAttribute('fill-opacity'), one.getAttribute('d').slice(0, 4)].join(' '))};)");
  EXPECT_EQ(page["title"], nlohmann::json({"One head in numbers"}));
  EXPECT_THAT(page["about"].get<std::string>(),
              AllOf(HasSubstr("decoder, layer 0, self-attention, head 1"),
                    HasSubstr("<s> old dog look at one another")));
  EXPECT_EQ(page["names"],
            nlohmann::json({"W_Q", "Q = X W_Q", "K = X W_K", "P = Q Kᵀ", "S = P / √4",
                            "S_V = S, but -∞ for later keys", "W = softmax of S_V"}));
  EXPECT_EQ(page["shapes"],
            nlohmann::json({"2 × 4", "3 × 4", "3 × 4", "3 × 3", "3 × 3", "3 × 3", "3 × 3"}));
  EXPECT_EQ(page["helps"], nlohmann::json({"3 × 3 what visible is for. Hatched cells are -∞."}));
  EXPECT_EQ(page["tokens"], nlohmann::json({"1: <s>", "2: old", "3: dog"}));
  const auto rows = [](const std::string& row) {
    return nlohmann::json(std::vector(5, "visible " + row));  // of queries, scores and weights
  };
  const nlohmann::json last = {{"token", "2"},
                               {"query", {"0", "0", "0", "1"}},
                               {"scores", {"<s>0", "old0.6931", "dog1.39"}},
                               {"rows", rows("2")}};
  EXPECT_EQ(page["first"], last);
  expect_members(page["clicked"],
                 {{"token", "0"}, {"query", {"1", "-2", "0", "0.5000"}}, {"rows", rows("0")}});
  EXPECT_EQ(page["beside"], last);
  EXPECT_EQ(page["key"], last) << "rows of keys belong to no query";
  expect_members(page["chosen"], {{"scores", {"<s>0", "old0.6931", "dog-∞"}}, {"rows", rows("1")}});
  EXPECT_EQ(page["hidden"], nlohmann::json({"<s> → dog", "-∞, so that its weight is 0"}));
  EXPECT_EQ(page["seen"], nlohmann::json({"dog → old", "0.6931"}));
  EXPECT_EQ(page["hatched"], "M1 1l1 -1M2 1l1 -1M2 2l1 -1");
  EXPECT_EQ(page["colours"],
            nlohmann::json({"heat 0.25 M3 0", "heat 0.5 M0 0", "negative 1 M1 0"}));
}

TEST(WalkPage, shows_the_weights_for_larger_and_smaller_scores) {
  const auto page = see(short_walk(), R"(
    const weights = () => [...texts('.scale td'), texts('.scale output')[0]].join(' ');
    const own = weights();
    change('#score-factor', 16, 'input');  // 2
    const doubled = weights();
    change('#followed', 1, 'change');
    const other = weights();
    change('#score-factor', 24, 'input');
    change('#followed', 2, 'change');
    const most = weights();
    change('#score-factor', 0, 'input');
    return {own, doubled, other, most, least: weights().split(' ').slice(-1), said: texts('.scale .remark')[0]};)");
  EXPECT_EQ(page["own"],
            "<s> 14.3 % 14.3 % old 28.6 % 28.6 % dog 57.1 % 57.1 %  1, as in the model");
  EXPECT_EQ(page["doubled"], "<s> 14.3 % 4.8 % old 28.6 % 19.1 % dog 57.1 % 76.2 %  2");
  EXPECT_EQ(page["other"], "<s> 33.3 % 20.0 % old 66.7 % 80.0 % dog 0.0 % 0.0 %  2");
  EXPECT_EQ(page["most"], "<s> 14.3 % 0.0 % old 28.6 % 0.4 % dog 57.1 % 99.6 %  8");
  EXPECT_EQ(page["least"], nlohmann::json({"0.125"}));
  EXPECT_THAT(page["said"].get<std::string>(),
              HasSubstr("Dividing by √d_k = √4 is undone by the factor 2."));
}

TEST(WalkPage, says_what_is_cut_and_has_no_slider_without_all_keys) {
  Json walk = short_walk();
  for (Json& one : walk["steps"]) {
    one["shape"] = {100, one["columns"] == "key" ? 100 : 4};
  }
  const auto page =
      see(walk, "return {shapes: texts('.step b'), sliders: count('#score-factor')};");
  EXPECT_EQ(page["shapes"][1], "100 × 4, first 3 of 100 rows");
  EXPECT_EQ(page["shapes"][3], "100 × 100, first 3 of 100 rows, first 3 of 100 columns");
  EXPECT_EQ(page["sliders"], 0);
}

TEST(WalkPage, fits_phones_and_fingers) {
  const std::string script = R"(
    const boxes = [...document.querySelectorAll('.step')].map((one) => one.getBoundingClientRect());
    return {wide: document.documentElement.scrollWidth, columns: new Set(boxes.map(({left}) => left)).size,
            row: document.querySelector('[data-step=query] .cells').getBoundingClientRect().height / 3,
            chooser: document.getElementById('followed').getBoundingClientRect().height};)";
  const auto phone = see(short_walk(), script, {.width = 400, .fingers = true});
  EXPECT_LE(phone["wide"], 400);
  EXPECT_EQ(phone["columns"], 1);
  EXPECT_EQ(phone["row"], 32);
  EXPECT_GE(phone["chooser"], 32);
  EXPECT_GE(see(short_walk(), script, {.width = 1400})["columns"], 3);
}

}}  // namespace tapehead
