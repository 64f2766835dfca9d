// Resolves what YAML leaves open and what yaml-cpp gets wrong before options are read.
#include "tests/support/config_error.hpp"
#include "tests/support/testing.hpp"
#include "train/config/document/document.hpp"

namespace tapehead { namespace {

TEST(ConfigYaml, duplicate_keys_are_found_at_both_levels) {
  EXPECT_EQ(config_error("model:\n  heads: 2\n  layers: 1\n  heads: 4\n"),
            "a.yaml:4:3: heads: written twice; the first one is in line 2");
  EXPECT_EQ(config_error("model: {}\nseed: 1\n\"model\": {}\n"),
            "a.yaml:3:1: model: written twice; the first one is in line 1");
}

TEST(ConfigYaml, a_missing_value_is_placed_at_its_key) {
  EXPECT_EQ(config_error("model:\n  heads:\n  layers: 2\n"),
            "a.yaml:2:3: model.heads: has no value (null; allowed: whole number, 1 to 1024)");
  EXPECT_EQ(config_error("model:\n  heads: ~\n"),
            "a.yaml:2:3: model.heads: has no value (null; allowed: whole number, 1 to 1024)");
  EXPECT_EQ(config_error("model:\n  init_from:\n"),
            "a.yaml:2:3: model.init_from: has no value (null; allowed: text)");
}

TEST(ConfigYaml, lists_keep_their_elements_with_their_places) {
  for (const std::string_view text : {"a: [1, {b: 2}, []]", R"({"a": [1, {"b": 2}, []]})"}) {
    const ConfigNode list = parse_document(text, "a").entries.front().value;
    ASSERT_EQ(list.items.size(), 3U) << text;
    EXPECT_EQ(list.items[0].text, "1");
    EXPECT_EQ(list.items[1].entries.front().value.text, "2");
    EXPECT_EQ(list.items[2].kind, ConfigNode::Kind::sequence);
    EXPECT_EQ(list.items[0].mark.column, list.mark.column + 1);
  }
  EXPECT_EQ(config_error("model: {heads: [{a: 1, a: 2}]}"),
            "a.yaml:1:24: a: written twice; the first one is in line 1");
}

TEST(ConfigYaml, octal_is_refused) {
  EXPECT_EQ(config_error("model: {heads: 010}"),
            "a.yaml:1:16: model.heads: a leading zero, which some read as octal: write 10 (010; "
            "allowed: whole number, 1 to 1024)");
}

TEST(ConfigYaml, anchors_aliases_merges_and_tags_are_refused) {
  EXPECT_EQ(config_error("model: &big {heads: 2}\n"),
            "a.yaml:1:8: &big: anchors are not used in configs; write values out");
  EXPECT_THAT(config_error("model: {heads: *two}\n"), StartsWith("a.yaml:1:16: "));
  EXPECT_EQ(config_error("model:\n  <<: {heads: 2}\n"),
            "a.yaml:2:3: <<: merge keys are not used in configs");
  EXPECT_EQ(config_error("model: {heads: !!int \"2\"}\n"),
            "a.yaml:1:16: tag:yaml.org,2002:int: tags are not used in configs; an option has its "
            "own type");
}

TEST(ConfigYaml, a_file_that_says_nothing_is_refused) {
  EXPECT_EQ(config_error(""), "a.yaml: empty; the shortest config is `task: {name: copy}`");
  EXPECT_EQ(config_error(" \n\n"), "a.yaml: empty; the shortest config is `task: {name: copy}`");
  EXPECT_EQ(config_error("# nothing yet\n"),
            "a.yaml: says nothing; the shortest config is `task: {name: copy}`");
  EXPECT_EQ(config_error("---\n...\n"),
            "a.yaml: says nothing; the shortest config is `task: {name: copy}`");
}

TEST(ConfigYaml, a_file_that_is_no_mapping_is_refused) {
  const std::string problem = "not a mapping of sections (task, model, training, ...)";
  EXPECT_EQ(config_error("hello\n"), "a.yaml:1:1: " + problem);
  EXPECT_EQ(config_error("- 1\n- 2\n"), "a.yaml:1:1: " + problem);
  EXPECT_EQ(config_error("\n 7\n"), "a.yaml:2:2: " + problem);
}

TEST(ConfigYaml, one_document_only) {
  EXPECT_THAT(config_error("seed: 1\n---\nseed: 2\n"), HasSubstr("a second document"));
  EXPECT_EQ(config_error("%YAML 1.2\n---\nseed: 1\n...\n"), "accepted");
}

TEST(ConfigYaml, syntax_errors_have_their_place) {
  EXPECT_THAT(config_error("model: {heads: 2\nseed: 1\n"), StartsWith("a.yaml:"));
  EXPECT_THAT(config_error("model:\n  heads: 2\n layers: 2\n"), StartsWith("a.yaml:3:"));
  EXPECT_THAT(config_error("model: {heads: 2\nseed: 1\n"), HasSubstr("not YAML: "));
  EXPECT_THAT(config_error("model:\n  heads: 2: 3\n"), StartsWith("a.yaml:2:11: not YAML: "));
  EXPECT_THAT(config_error("model:\n  init_from: \"a\n"), StartsWith("a.yaml:2:14: not YAML: "));
  EXPECT_EQ(config_error("model:\n  init_from: \"a\n  heads: 2\n"),
            "a.yaml:2:14: not YAML: text without its closing quote");
  EXPECT_EQ(config_error("model:\n  init_from: 'it''s\n  heads: 2\n"),
            "a.yaml:2:14: not YAML: text without its closing quote");
  EXPECT_EQ(config_error("model: {init_from: 'it''s', initializer_gain: \"1\"}\n"), "accepted");
  EXPECT_THAT(config_error("model:\n\theads: 2\n"), StartsWith("a.yaml:2:"));
  EXPECT_THAT(config_error("model: }\n"), StartsWith("a.yaml:1:8: not YAML: "));
}

struct Mistake {
  std::string text;
  std::string message;  // after "a.yaml:"

  friend std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
    return out << PrintToString(mistake.text);
  }
};

class ConfigYamlMistake : public TestWithParam<Mistake> {};

const std::string comes_to = " has no colon; an option is written `name: value`";

// Mistakes that yaml-cpp reports at a later line, or in terms of its grammar.
INSTANTIATE_TEST_SUITE_P(
    Lines, ConfigYamlMistake,
    Values(
        Mistake{"seed: 1\nmodel:\n  heads: 2\nfoo bar\ntask: {}\n",
                "4:1: not YAML: `foo bar`" + comes_to},
        Mistake{"model:\n  heads 2\n  layers: 3\n", "2:3: not YAML: `heads 2`" + comes_to},
        Mistake{"model\n  heads: 2\n", "1:1: not YAML: `model`" + comes_to},
        Mistake{"seed: 1\n\n# c\nfoo bar\n# x\nbaz\nmodel: {}\n",
                "4:1: not YAML: `foo bar`" + comes_to},
        Mistake{"seed = 1\ntask = copy\n", "1:1: not YAML: `seed = 1`" + comes_to},
        Mistake{"seed:1\nmodel: {}\n",
                "1:1: not YAML: `seed:1` has no space after its colon; an option is written "
                "`name: value`"},
        Mistake{"a\u0007b\ntask: {}\n", "1:2: a control character (U+0007)"},
        Mistake{"model:\n  heads: 2\n    layers: 3\n",
                "3:5: not YAML: indented deeper than line 2, so YAML reads it as part of the value "
                "there"},
        Mistake{"model:\n  init_from: \"a\"\n    layers: 3\n",
                "3:5: not YAML: indented deeper than line 2, so YAML reads it as part of the value "
                "there"},
        Mistake{"model:\n  heads: 2\n layers: 2\n",
                "3:2: not YAML: its indentation matches none of the lines above it"},
        Mistake{"model:\n\theads: 2\n",
                "2:1: not YAML: a tab in the indentation; YAML takes spaces alone"},
        Mistake{"model:\n  heads: 2\n\tlayers: 2\n",
                "3:1: not YAML: a tab in the indentation; YAML takes spaces alone"},
        Mistake{"seed: 1\n- a\n",
                "2:1: not YAML: an entry of a list among options; a list is written `name: [1, "
                "2]`"},
        Mistake{"model: - a\n",
                "1:8: not YAML: an entry of a list needs a line of its own; a list in one line is "
                "[1, 2]"}),
    [](const auto& test) { return "Lines" + std::to_string(test.index); });

INSTANTIATE_TEST_SUITE_P(
    Brackets, ConfigYamlMistake,
    Values(Mistake{"model: {heads: 2\n", "1:8: not YAML: `{` without its `}`"},
           Mistake{"model: {heads: 2\nseed: 1\n", "1:8: not YAML: `{` without its `}`"},
           Mistake{"attention: {heads: [1, 2\nseed: 1\n", "1:20: not YAML: `[` without its `]`"},
           Mistake{"attention: {heads: [1, 2}\n", "1:20: not YAML: `[` without its `]`"},
           Mistake{"model: {heads: 2]\n", "1:8: not YAML: `{` without its `}`"},
           Mistake{"model: ]\n", "1:8: not YAML: `]` without its `[`"},
           Mistake{"model: {}}\n", "1:10: not YAML: `}` without its `{`"},
           Mistake{"model: {\"a\": 1,\n \"b\" 2}\n", "2:6: not YAML: `,` or `}` is missing here"},
           Mistake{"model: {init_from: \"}\", # }\n heads: 2\n",
                   "1:8: not YAML: `{` without its `}`"}),
    [](const auto& test) { return "Brackets" + std::to_string(test.index); });

INSTANTIATE_TEST_SUITE_P(
    Words, ConfigYamlMistake,
    Values(
        Mistake{"model: heads: 2\n",
                "1:13: not YAML: a second colon in the line: text with a colon in it needs quotes, "
                "and each option a line of its own"},
        Mistake{"seed: @1\n", "1:7: not YAML: text that begins with `@` needs quotes"},
        Mistake{"seed: \"1\" 2\n",
                "1:11: not YAML: something after the end of a value: text with quotes in it needs "
                "quotes around all of it"},
        Mistake{"seed: *\n",
                "1:8: not YAML: anchors, aliases and tags are not used in configs; write values "
                "out"}),
    [](const auto& test) { return "Words" + std::to_string(test.index); });

TEST_P(ConfigYamlMistake, is_told_where_it_is) {
  EXPECT_EQ(config_error(GetParam().text), "a.yaml:" + GetParam().message);
}

TEST(ConfigYaml, keys_must_be_names) {
  EXPECT_THAT(config_error("? [a]\n: 1\n"), HasSubstr("a key must be a name"));
  EXPECT_THAT(config_error("model: {~: 1}\n"), StartsWith("a.yaml:1:9: a key must be a name"));
}

TEST(ConfigYaml, deep_nesting_is_refused) {
  EXPECT_THAT(config_error(std::string(100, '[')), HasSubstr("nested too deeply"));
  EXPECT_THAT(config_error(std::string(100000, '[')), HasSubstr("nested too deeply"));
  EXPECT_THAT(config_error(std::string(100000, '{')), HasSubstr("nested too deeply"));
}

TEST(ConfigYaml, columns_count_characters) {
  EXPECT_EQ(config_error("model: {init_from: äöü, heads: x}"),
            "a.yaml:1:32: model.heads: not a number (x; allowed: whole number, 1 to 1024)");
}

TEST(ConfigYaml, text_that_is_not_utf8_or_hides_something_is_refused) {
  EXPECT_EQ(config_error("seed: 1\n# \xE4\n"), "a.yaml:2:3: not UTF-8 text");
  for (const auto* text : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                           "\xF8\x88\x80\x80\x80", "\xE2\x82", "\x80"}) {
    EXPECT_EQ(config_error(text), "a.yaml:1:1: not UTF-8 text");
  }
  // yaml-cpp takes U+0004 as the end of the file.
  EXPECT_EQ(config_error("seed: 1\n\x04\nmodel: {heads: x}\n"),
            "a.yaml:2:1: a control character (U+0004)");
  EXPECT_EQ(config_error("# \xF0\x9F\x98\x80 \xED\x9F\xBF \xF4\x8F\xBF\xBF\nseed: 1\n"),
            "accepted");
}

TEST(ConfigYaml, a_file_too_large_to_be_a_config_is_refused) {
  EXPECT_EQ(config_error(std::string(3 << 20, '#')), "a.yaml: larger than 1 MiB, so not a config");
}

TEST(ConfigYaml, quoted_and_block_text_is_text) {
  const ConfigNode root =
      parse_document("a: 'x y'\nb: \"\\u00e4\"\nc: |-\n  z\nd: >-\n  p\n  q\n", "a.yaml");
  ASSERT_EQ(root.entries.size(), 4U);
  EXPECT_EQ(root.entries[0].value.text, "x y");
  EXPECT_EQ(root.entries[1].value.text, "ä");
  EXPECT_EQ(root.entries[2].value.text, "z");
  EXPECT_EQ(root.entries[3].value.text, "p q");
  EXPECT_EQ(root.entries[3].mark.line, 5);
}

}}  // namespace tapehead
