// What YAML leaves open, and what yaml-cpp gets wrong, is settled before options are read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/config_error.hpp"
#include "train/config/document.hpp"

namespace tapehead {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

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
  EXPECT_EQ(config_error(""), "a.yaml: empty; the least config is `task: {name: copy}`");
  EXPECT_EQ(config_error(" \n\n"), "a.yaml: empty; the least config is `task: {name: copy}`");
  EXPECT_EQ(config_error("# nothing yet\n"),
            "a.yaml: says nothing; the least config is `task: {name: copy}`");
  EXPECT_EQ(config_error("---\n...\n"),
            "a.yaml: says nothing; the least config is `task: {name: copy}`");
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
  // yaml-cpp takes U+0004 for the end of the file.
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

}  // namespace
}  // namespace tapehead
