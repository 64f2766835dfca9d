// Resolves what YAML leaves open and what yaml-cpp gets wrong before options are read.
#include "tests/support/config_error.hpp"
#include "tests/support/testing.hpp"
#include "train/config/document/document.hpp"

namespace tapehead { namespace {

TEST(ConfigYaml, what_it_leaves_open_is_refused) {
  const std::string no_value = "has no value (null; allowed: ";
  const std::string no_mapping = "not a mapping of sections (task, model, training, ...)";
  const std::string shortest = "the shortest config is `task: {name: copy}`";
  expect_config_errors({
      {"model:\n  heads: 2\n  layers: 1\n  heads: 4\n", "4:3: heads", "the first one is in line 2"},
      {"model: {}\nseed: 1\n\"model\": {}\n", "3:1: model", "first one is in line 1"},
      {"model: {heads: [{a: 1, a: 2}]}", "1:24: a", "first one is in line 1"},

      // A missing value is placed at its key.
      {"model:\n  heads:\n  layers: 2\n", "2:3: model.heads", no_value + "whole number, 1 to 1024"},
      {"model:\n  heads: ~\n", "2:3: model.heads", no_value + "whole number, 1 to 1024"},
      {"model:\n  init_from:\n", "2:3: model.init_from", no_value + "text)"},

      {"model: {heads: 010}", "1:16: model.heads",
       "a leading zero, which some programs read as octal: write 10 (010; allowed: whole number"},
      {"model: &big {heads: 2}\n", "1:8: &big", "anchors are not used in configs"},
      {"model: {heads: *two}\n", "1:16"},
      {"model:\n  <<: {heads: 2}\n", "2:3: <<", "merge keys are not used in configs"},
      {"model: {heads: !!int \"2\"}\n", "1:16: tag:yaml.org,2002:int", "tags are not used"},

      {"", "", "empty; " + shortest},
      {" \n\n", "", "empty; " + shortest},
      {"# nothing yet\n", "", "has no content; " + shortest},
      {"---\n...\n", "", "has no content; " + shortest},
      {"hello\n", "1:1", no_mapping},
      {"- 1\n- 2\n", "1:1", no_mapping},
      {"\n 7\n", "2:2", no_mapping},
      {"model: {~: 1}\n", "1:9", "a key must be a name"},
      {"%YAML 1.2\n---\nseed: 1\n...\n", "accepted"},
      {"model: {init_from: 'it''s', initializer_gain: \"1\"}\n", "accepted"},

      // Columns count characters.
      {"model: {init_from: äöü, heads: x}", "1:32: model.heads", "not a number (x; allowed"},
  });
  EXPECT_THAT(config_error("? [a]\n: 1\n"), HasSubstr("a key must be a name"));
  EXPECT_THAT(config_error("seed: 1\n---\nseed: 2\n"), HasSubstr("a second document"));
  for (const std::string& nested :
       {std::string(100, '['), std::string(100000, '['), std::string(100000, '{')}) {
    EXPECT_THAT(config_error(nested), HasSubstr("nested too deeply"));
  }
}

TEST(ConfigYaml, text_that_is_not_utf8_or_hides_something_is_refused) {
  for (const std::string text : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                 "\xF8\x88\x80\x80\x80", "\xE2\x82", "\x80"}) {
    expect_config_errors({{text, "1:1", "not UTF-8 text"}});
  }
  expect_config_errors({
      {"seed: 1\n# \xE4\n", "2:3", "not UTF-8 text"},
      // yaml-cpp takes U+0004 as the end of the file.
      {"seed: 1\n\x04\nmodel: {heads: x}\n", "2:1", "a control character (U+0004)"},
      {"a\u0007b\ntask: {}\n", "1:2", "a control character (U+0007)"},
      {"seed: 1\rtask: {}\n", "1:8", "a carriage return without a line feed"},
      {"# \xF0\x9F\x98\x80 \xED\x9F\xBF \xF4\x8F\xBF\xBF\nseed: 1\n", "accepted"},
  });
}

// Mistakes that yaml-cpp reports at a later line, or in terms of its grammar.
TEST(ConfigYaml, syntax_errors_have_their_place) {
  const std::string colon = " has no colon; an option is written `name: value`";
  const std::string deeper = "indented deeper than line 2, so YAML reads it as part of the value";
  const std::string tab = "a tab in the indentation; YAML allows spaces only";
  const std::string quote = "text without its closing quote";
  const std::string brace = "`{` without its `}`";
  const std::string bracket = "`[` without its `]`";
  const std::vector<std::tuple<std::string, std::string, std::string>> mistakes{
      // Lines.
      {"seed: 1\nmodel:\n  heads: 2\nfoo bar\ntask: {}\n", "4:1", "`foo bar`" + colon},
      {"model:\n  heads 2\n  layers: 3\n", "2:3", "`heads 2`" + colon},
      {"model\n  heads: 2\n", "1:1", "`model`" + colon},
      {"model:\n  heads: 2\n  bias\n", "3:3", "`bias`" + colon},
      {"model: {}\nseed", "2:1", "`seed`" + colon},
      {"seed: 1\n\n# c\nfoo bar\n# x\nbaz\nmodel: {}\n", "4:1", "`foo bar`" + colon},
      {"seed = 1\ntask = copy\n", "1:1", "`seed = 1`" + colon},
      {"seed:1\nmodel: {}\n", "1:1", "`seed:1` has no space after its colon"},
      {"model:\n  heads: 2\n    layers: 3\n", "3:5", deeper},
      {"model:\n  init_from: \"a\"\n    layers: 3\n", "3:5", deeper},
      {"model:\n  heads: 2\n layers: 2\n", "3:2", "its indentation matches none of the lines"},
      {"model:\n\theads: 2\n", "2:1", tab},
      {"model:\n  heads: 2\n\tlayers: 2\n", "3:1", tab},
      {"seed: 1\n- a\n", "2:1", "a list item among options"},
      {"model: - a\n", "1:8", "a list item needs a line of its own"},

      // Brackets.
      {"model: {heads: 2\n", "1:8", brace},
      {"model: {heads: 2\nseed: 1\n", "1:8", brace},
      {"attention: {heads: [1, 2\nseed: 1\n", "1:20", bracket},
      {"attention: {heads: [1, 2}\n", "1:20", bracket},
      {"model: {heads: 2]\n", "1:8", brace},
      {"model: {heads: [2, , 3]}\n", "1:20", "a value is missing before this comma"},
      {"model: ]\n", "1:8", "`]` without its `[`"},
      {"model: }\n", "1:8", ""},
      {"model: {}}\n", "1:10", "`}` without its `{`"},
      {"model: {\"a\": 1,\n \"b\" 2}\n", "2:6", "`,` or `}` is missing here"},
      {"model: {init_from: \"}\", # }\n heads: 2\n", "1:8", brace},

      // Words.
      {"model: heads: 2\n", "1:13", "a second colon in the line"},
      {"model:\n  heads: 2: 3\n", "2:11", ""},
      {"seed: @1\n", "1:7", "text that begins with `@` needs quotes"},
      {"seed: \"1\" 2\n", "1:11", "unexpected text after the end of a value"},
      {"seed: *\n", "1:8", "anchors, aliases and tags are not used in configs"},
      {"model:\n  init_from: \"a\n", "2:14", ""},
      {"model:\n  init_from: \"a\n  heads: 2\n", "2:14", quote},
      {"model:\n  init_from: 'it''s\n  heads: 2\n", "2:14", quote},
  };
  for (const auto& [text, place, words] : mistakes) {
    EXPECT_THAT(config_error(text), StartsWith("a.yaml:" + place + ": not YAML: " + words)) << text;
  }
}

TEST(ConfigYaml, values_keep_their_text_and_their_places) {
  for (const std::string_view text : {"a: [1, {b: 2}, []]", R"({"a": [1, {"b": 2}, []]})"}) {
    const ConfigNode list = parse_document(text, "a").entries.front().value;
    ASSERT_EQ(list.items.size(), 3U) << text;
    EXPECT_EQ(list.items[0].text, "1");
    EXPECT_EQ(list.items[1].entries.front().value.text, "2");
    EXPECT_EQ(list.items[2].kind, ConfigNode::Kind::sequence);
    EXPECT_EQ(list.items[0].mark.column, list.mark.column + 1);
  }
  const ConfigNode root =
      parse_document("a: 'x y'\nb: \"\\u00e4\"\nc: |-\n  z\nd: >-\n  p\n  q\n", "a.yaml");
  const auto text_of = [](const ConfigEntry& entry) { return entry.value.text; };
  EXPECT_THAT(mapped(root.entries, text_of), ElementsAre("x y", "ä", "z", "p q"));
  EXPECT_EQ(root.entries.back().mark.line, 5);
}

}}  // namespace tapehead
