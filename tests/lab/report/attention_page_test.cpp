// The page of one long sentence: lines between tokens, the row of a token, and scrolling maps.
#include "core/files/json_text.hpp"
#include "core/text.hpp"
#include "lab/report/page.hpp"
#include "tests/support/browser.hpp"

namespace tapehead { namespace {

constexpr int length = 200;  // of each side

// Weights in thousandths by distance from the query, which wraps around at the end of the sentence.
using Profile = std::map<int, int>;

// The page has whole numbers up to 65535, in base64 of little-endian bytes.
std::string head_of(const Profile& profile) {
  std::string bytes(2 * length * length, '\0');
  for (int query = 0; query < length; ++query) {
    for (const auto& [distance, weight] : profile) {
      const int at = 2 * (query * length + (query + distance) % length);
      const int number = (weight * 65535 + 500) / 1000;
      bytes[static_cast<std::size_t>(at)] = static_cast<char>(number % 256);
      bytes[static_cast<std::size_t>(at) + 1] = static_cast<char>(number / 256);
    }
  }
  return base64_of(bytes);
}

Profile even() {
  Profile profile;
  for (int distance = 0; distance < length; ++distance) {
    profile[distance] = 1000 / length;
  }
  return profile;
}

// Only the first head is sure of itself. Lines per query: one; one, which holds 95 %; eight of
// twelve; none, since each weight is below 1 %.
Json four_heads() {
  Profile many{{2, 500}, {6, 200}};
  for (int distance = 11; distance <= 20; ++distance) {
    many[distance] = 41 - distance;  // 30 to 21
  }
  return {head_of({{0, 1000}}), head_of({{1, 960}, {3, 40}}), head_of(many), head_of(even())};
}

std::vector<std::string> tokens(const std::string& letter) {
  std::vector<std::string> list;
  for (int i = 1; i <= length; ++i) {
    list.push_back(fmt::format("{}{}", letter, i));
  }
  return list;
}

Json attention(const std::string& name, const std::string& queries, const std::string& keys) {
  return {{"attention", name}, {"queries", queries}, {"keys", keys}, {"heads", four_heads()}};
}

Json long_sentence() {
  return {{"number", 1},
          {"source", "a long text"},
          {"source_tokens", tokens("s")},
          {"target_tokens", tokens("t")},
          {"said_tokens", tokens("u")},
          {"source_length", length},
          {"target_length", length},
          {"attentions",
           {attention("encoder.layers.0.self", "source", "source"),
            attention("decoder.layers.0.self", "target", "target"),
            attention("decoder.layers.0.cross", "target", "source")}}};
}

// `page`: the text of a page.
nlohmann::json see(const std::string& page, const std::string& script, const Browsing& browsing) {
  const TemporaryDirectory here;
  std::ofstream(here / "page.html", std::ios::binary) << page;
  return visit(here / "page.html", R"(
    const count = (selector) => document.querySelectorAll(selector).length;
    const texts = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
    const choose = (head) => document.querySelector(`[data-head="${head}"]`).click();
    const linesIn = (selector) => [...document.querySelectorAll(selector)]
      .reduce((sum, path) => sum + path.getAttribute('d').split('M').length - 1, 0);
    const token = (end, side, position) => document.querySelector(`.lines .${end} [data-side=${side}][data-position="${position}"]`);
  )" + script,
               browsing);
}

nlohmann::json see_long_sentence(const std::string& script, const Browsing& browsing = {}) {
  static const std::string text =
      report_page({{"name", "a text"}, {"sentences", {long_sentence()}}});
  return see(text, script, browsing);
}

// One encoder head, two decoder heads, on one token; a word has a weight of 1.
Json short_sentence(int number) {
  const std::string one = base64_of("\xff\xff");
  return {{"number", number},
          {"source", "a"},
          {"source_tokens", {"a"}},
          {"target_tokens", {"<s>"}},
          {"said_tokens", {"b"}},
          {"source_length", 1},
          {"target_length", 1},
          {"output", "the old dog sleeps"},
          {"right", true},
          {"reference", "the old dog sleeps"},
          {"attentions",
           {{{"attention", "encoder.layers.0.self"},
             {"queries", "source"},
             {"keys", "source"},
             {"heads", {one}}},
            {{"attention", "decoder.layers.0.self"},
             {"queries", "target"},
             {"keys", "target"},
             {"heads", {one, one}}}}}};
}

TEST(AttentionPage, switches_heads_off_and_marks_the_words_that_differ) {
  Json sentence = short_sentence(1);
  sentence["without"] = {
      {"encoder.layers.0.self.0", {{"output", "the old dog sleeps"}, {"right", true}}},
      {"decoder.layers.0.self.1", {{"output", "the dog old sleeps well"}, {"right", false}}}};
  const auto page =
      see(report_page({{"name", "a"}, {"sentences", {short_sentence(2), sentence}}}), R"(
    const shown = () => ({titles: texts('.outputs h3'), marks: texts('.outputs mark'), right: count('.outputs .right'),
                          off: [...document.querySelectorAll('.switch[aria-checked=false]')].map((one) => one.dataset.switch)});
    const turn = (head) => document.querySelector(`[data-switch="${head}"]`).click();
    const chosen = document.getElementById('sentence').value;
    const first = {...shown(), text: texts('.outputs .remark'), switches: count('.switch'), label: document.querySelector('.differs').ariaLabel};
    turn('decoder.layers.0.self.1');
    const changed = shown();
    turn('encoder.layers.0.self.0');
    const same = shown();
    turn('encoder.layers.0.self.0');
    const again = shown();
    document.getElementById('sentence').value = 0;
    document.getElementById('sentence').dispatchEvent(new Event('change'));
    return {chosen, first, changed, same, again, other: texts('.outputs .remark'), none: count('.switch')};)",
          {});
  EXPECT_EQ(page["chosen"], "1") << "more is known about the second sentence";
  expect_members(
      page["first"],
      {{"titles", {"Output with all heads"}},
       {"off", nlohmann::json::array()},
       {"switches", 2},
       {"label", "decoder, layer 0, self-attention, head 1; without it the output differs"}});
  EXPECT_THAT(page["first"]["text"][0].get<std::string>(),
              AllOf(HasSubstr("differs: 1 of 2."), HasSubstr("would take long: 1.")));
  expect_members(page["changed"],
                 {{"titles", {"Output with all heads", "Output without decoder.layers.0.self.1"}},
                  {"marks", {"old", "old", "well"}},
                  {"right", 1},
                  {"off", {"decoder.layers.0.self.1"}}});
  expect_members(
      page["same"],
      {{"marks", nlohmann::json::array()}, {"right", 2}, {"off", {"encoder.layers.0.self.0"}}});
  EXPECT_EQ(page["again"]["titles"], nlohmann::json({"Output with all heads"}));
  EXPECT_THAT(page["other"].dump(), HasSubstr("without single heads are left out"));
  EXPECT_EQ(page["none"], 0);
}

TEST(AttentionPage, has_attention_alone_and_draws_the_weights_that_count_with_few_marks) {
  const auto page = see_long_sentence(R"(
    const alone = {sections: texts('h2'), links: count('nav'), state: count('.state'), chooser: count('#sentence'),
                   pressed: count('.head[aria-pressed=true]')};
    const text = document.querySelector('main').textContent;
    const lines = [linesIn('.lines:first-child .all path')];
    for (const head of [1, 2, 3]) {
      choose(`encoder.layers.0.self.${head}`);
      lines.push(linesIn('.lines:first-child .all path'));
    }
    const colours = [...document.querySelectorAll('.lines .swatch')].map((one) => getComputedStyle(one).borderTopColor);
    return {alone, text, lines, marks: count('#attention svg *'),
            counts: [count('.lines'), colours.length, new Set(colours).size, count('.lines .token'), count('.small-map'), count('.large-map')],
            cells: [linesIn('td:nth-child(2) .small-map path') / 3, linesIn('.compared:first-child .heat'),
                    linesIn('td:nth-child(5) .small-map path') / 3],
            strokes: [...document.querySelectorAll('.lines:first-child .all path')].map((one) =>
              [getComputedStyle(one).stroke === colours[0], one.getAttribute('stroke-opacity')]),
            corner: document.querySelector('.compared .heat').getAttribute('d').slice(0, 12)};)");
  // The surest head of each attention is pressed.
  const auto* alone =
      R"({"sections": ["Attention"], "links": 0, "state": 0, "chooser": 0, "pressed": 3})";
  EXPECT_EQ(page["alone"], nlohmann::json::parse(alone));
  EXPECT_THAT(page["text"].get<std::string>(),
              AllOf(HasSubstr("a long text"), Not(HasSubstr("undefined"))));
  EXPECT_EQ(page["lines"], nlohmann::json({200, 400, 2000, 2000}));  // see four_heads
  // Figures, colours, different ones, tokens, small and large maps.
  EXPECT_EQ(page["counts"], nlohmann::json({3, 6, 6, 3 * 2 * length, 12, 6}));
  // Line opacity by head: 1; 0.96; 0.5, 0.2 and at most 0.03. Only the first head's lines have its
  // colour.
  EXPECT_EQ(
      page["strokes"],
      nlohmann::json({{true, "1"}, {false, "1"}, {false, "0.5"}, {false, "0.2"}, {false, "0.1"}}));
  // Along the diagonal, in small maps of three heads; all cells of even heads, faint as they are.
  EXPECT_EQ(page["cells"], nlohmann::json({length, length, length * length}));
  EXPECT_EQ(page["corner"], "M0 0h1v1h-1z");
  EXPECT_LT(page["marks"], 6 * 2 * length + 500) << "beside the tokens of six large maps";
}

TEST(AttentionPage, shows_the_lines_of_one_token_from_either_end) {
  const auto page = see_long_sentence(R"(
    choose('encoder.layers.0.self.2');
    const seen = () => ({all: getComputedStyle(document.querySelector('.lines .all')).visibility,
                         own: linesIn('.lines:first-child .own path'), met: texts('.lines:first-child .met')});
    token('query', 'source', 3).focus();
    const query = seen();
    token('query', 'source', 3).dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', bubbles: true}));
    const label = document.activeElement.ariaLabel;
    const key = seen();
    token('query', 'source', 9).dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
    const pointer = seen();
    document.activeElement.blur();
    return {query, key, label, pointer, none: seen(), stops: count('.lines .token[tabindex="0"]')};)");
  EXPECT_EQ(page["query"]["all"], "hidden");
  EXPECT_EQ(page["query"]["own"], 9);  // one of the first head, eight of the third
  EXPECT_EQ(page["query"]["met"],
            nlohmann::json({"s4", "s4", "s6", "s10", "s15", "s16", "s17", "s18", "s19", "s20"}));
  EXPECT_EQ(page["label"], "key 2: s2");
  EXPECT_EQ(page["key"]["own"], 9);  // each distance leads to one query
  EXPECT_EQ(page["key"]["met"], nlohmann::json({"s2", "s186", "s187", "s188", "s189", "s190",
                                                "s191", "s196", "s200", "s2"}));
  EXPECT_EQ(page["pointer"]["met"][0], "s10");
  EXPECT_EQ(page["none"]["all"], "visible");
  EXPECT_EQ(page["none"]["own"], 0);
  EXPECT_EQ(page["stops"], 6) << "one stop of the Tab key in each column";
}

// In the figures of the other side, the pointer still chooses.
TEST(AttentionPage, keeps_the_lines_of_a_token_that_was_clicked) {
  const auto page = see_long_sentence(R"(
    const own = () => [1, 2, 3].map((n) => texts(`.lines:nth-child(${n}) .met`).join(' '));
    const point = (side, position) => {
      const pointed = token('query', side, position);
      pointed.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
      return pointed;
    };
    token('key', 'source', 3).click();
    const clicked = own();
    point('source', 9).closest('.between').dispatchEvent(new PointerEvent('pointerleave'));
    const left = own();
    point('target', 5);
    const other = own();
    token('query', 'source', 7).click();
    const second = own();
    token('query', 'source', 7).click();
    return {clicked, left, other, second, none: own()};)");
  EXPECT_EQ(page["clicked"], nlohmann::json({"s4 s4", "", "t4 > u4 s4"}));
  EXPECT_EQ(page["left"], page["clicked"]);
  EXPECT_EQ(page["other"], nlohmann::json({"s4 s4", "t6 > u6 t6", "t4 > u4 s4"}));
  EXPECT_EQ(page["second"], nlohmann::json({"s8 s8", "", "t8 > u8 s8"}));
  EXPECT_EQ(page["none"], nlohmann::json({"", "", ""}));
}

TEST(AttentionPage, lists_the_largest_weights_of_a_token) {
  const auto page = see_long_sentence(R"(
    const shown = () => ({title: texts('.row h3'), heads: texts('.row figcaption'), cells: texts('.row td'),
                          rows: [...document.querySelectorAll('.picked[visibility=visible]')].map((one) => one.getAttribute('y')),
                          pressed: texts('.token[aria-pressed=true]')});
    for (const head of [0, 2]) choose(`encoder.layers.0.self.${head}`);
    const none = shown();
    token('query', 'source', 190).click();
    const clicked = shown();
    const cells = document.querySelector('.compared[data-queries=target] .cells');
    const {x, y, height} = cells.getBoundingClientRect();
    cells.dispatchEvent(new MouseEvent('click', {clientX: x + 5, clientY: y + height * 7.5 / 200}));
    const row = shown();
    document.querySelector('.token[aria-pressed=true]').click();
    const again = shown();
    token('query', 'source', 5).click();
    document.querySelector('.row .close').click();
    return {none, clicked, row, again, closed: shown()};)");
  EXPECT_TRUE(page["none"]["cells"].empty());
  const auto& clicked = page["clicked"];
  EXPECT_EQ(clicked["title"][0], "Largest weights of “s191” at position 191");
  EXPECT_EQ(clicked["heads"], nlohmann::json({"encoder, layer 0, self-attention, head 2"}));
  EXPECT_EQ(clicked["cells"],
            nlohmann::json({"s193", "193", "50.0 %", "s197", "197", "20.0 %", "s2", "2", "3.0 %",
                            "s3",   "3",   "2.9 %",  "s4",   "4",   "2.8 %",  "s5", "5", "2.7 %",
                            "s6",   "6",   "2.6 %",  "s7",   "7",   "2.5 %"}));
  EXPECT_EQ(clicked["rows"], nlohmann::json({"190"}));
  EXPECT_EQ(clicked["pressed"],
            nlohmann::json({"s191", "s191", "s191"}));  // also as key of the decoder
  EXPECT_EQ(page["row"]["title"][0], "Largest weights of “t8 > u8” at position 8");
  EXPECT_EQ(page["row"]["heads"], nlohmann::json({"decoder, layer 0, self-attention, head 0",
                                                  "decoder, layer 0, cross-attention, head 0"}));
  EXPECT_EQ(page["row"]["cells"], nlohmann::json({"t8", "8", "100.0 %", "s8", "8", "100.0 %"}));
  EXPECT_EQ(page["row"]["rows"], nlohmann::json({"7", "7"}));
  for (const std::string end : {"again", "closed"}) {
    EXPECT_TRUE(page[end]["pressed"].empty());
    EXPECT_TRUE(page[end]["cells"].empty());
  }
}

// A small map is 66 px wide (page.css).
TEST(AttentionPage, has_all_heads_in_one_grid_that_scrolls_by_itself) {
  for (const int width : {400, 1400}) {
    const auto page = see_long_sentence(R"(
      const grid = document.querySelector('.all-heads .scrolling');
      grid.scrollTo(1000, 0);
      const left = (one) => one.getBoundingClientRect().left;
      return {columns: texts('.all-heads thead th'), rows: texts('.all-heads tbody th'), wide: document.documentElement.scrollWidth,
              cells: [...document.querySelectorAll('.all-heads tr')].map((row) => row.querySelectorAll('.head').length),
              fits: grid.scrollWidth <= grid.clientWidth, fixed: left(grid.querySelector('tbody th')) - left(grid),
              map: document.querySelector('.small-map').getBoundingClientRect().width};)",
                                        {.width = width});
    EXPECT_EQ(page["columns"], nlohmann::json({"", "head 0", "head 1", "head 2", "head 3"}));
    EXPECT_EQ(page["rows"], nlohmann::json({"encoder, layer 0, self-attention",
                                            "decoder, layer 0, self-attention",
                                            "decoder, layer 0, cross-attention"}));
    EXPECT_EQ(page["cells"], nlohmann::json({0, 4, 4, 4}));
    EXPECT_LE(page["wide"], width);
    EXPECT_EQ(page["fits"], width == 1400);
    EXPECT_EQ(page["fixed"], 0) << "the names of the attentions stay in sight";
    EXPECT_EQ(page["map"], 66);
  }
}

TEST(AttentionPage, scrolls_long_maps_and_lines_by_themselves) {
  for (const int width : {390, 1280}) {
    const auto page = see_long_sentence(R"(
      token('query', 'source', 0).click();
      const map = document.querySelector('.compared .scrolling');
      map.scrollIntoView({behavior: 'instant'});
      map.scrollTo(900, 1100);
      const box = (part) => document.querySelector(`.compared ${part}`).getBoundingClientRect();
      return {wide: document.documentElement.scrollWidth, tall: map.clientHeight, left: map.scrollLeft, down: map.scrollTop,
              keys: box('.keys').top - map.getBoundingClientRect().top, queries: box('.queries').left - map.getBoundingClientRect().left,
              lines: document.querySelector('.lines .scrolling').clientHeight,
              below: innerHeight - document.querySelector('.row').getBoundingClientRect().bottom};)",
                                        {.width = width});
    EXPECT_LE(page["wide"], width);
    EXPECT_LE(page["tall"], 680);  // from page.css
    EXPECT_LE(page["lines"], 680);
    EXPECT_EQ(page["left"], 900);
    EXPECT_EQ(page["down"], 1100);
    EXPECT_EQ(page["keys"], 0) << "the tokens stay at the edges";
    EXPECT_EQ(page["queries"], 0);
    EXPECT_EQ(page["below"], 0) << "the row of the token stays in sight";
  }
}

}}  // namespace tapehead
