// JSON means the same as the equivalent YAML, and mistakes in it are reported with their places.
#include "tests/support/config_error.hpp"
#include "tests/support/testing.hpp"
#include "train/config/document/document.hpp"

namespace tapehead { namespace {

std::string json_error(std::string_view text) { return config_error(text, {}, "a.json"); }

TEST(ConfigJson, means_what_the_same_yaml_means) {
  const LoadedConfig json = parse_config(R"({
  "seed": 7,
  "model": {"d_model": 32, "heads": 2, "dropout": 1e-1, "d_ff": null, "init_from": "a"},
  "training": {"steps": 2e3, "minutes": "auto"},
  "evaluation": {"decode": false}
})",
                                         "a.json");
  const LoadedConfig yaml = parse_config(R"(
seed: 7
model: {d_model: 32, heads: 2, dropout: 1e-1, d_ff: , init_from: a}
training: {steps: 2e3, minutes: auto}
evaluation: {decode: false}
)",
                                         "a.yaml");
  EXPECT_EQ(dump_config(json.config), dump_config(yaml.config));
  EXPECT_EQ(json.origins.at("model.heads"), "a.json:3:37");
}

TEST(ConfigJson, surrogate_escapes) {
  const auto config =
      parse_config(R"({"model": {"init_from": "\uD83D\uDE00/\u00e4"}})", "a.json").config;
  EXPECT_EQ(config.model.init_from, "😀/ä");
  const ConfigNode root = parse_document(R"({"a": "\uD83D\uDE00", "b": 2})", "a.json");
  EXPECT_EQ(root.entries[0].value.text, "😀");
  EXPECT_EQ(root.entries[1].value.mark.column, 28);
  EXPECT_EQ(json_error("{\n \"model\": {\"init_from\": \"\\uD83D\"}}"),
            "a.json:2:25: not JSON: text with an escape or a line break that JSON does not allow");
}

TEST(ConfigJson, json_is_read_as_json_whatever_the_file_is_called) {
  const ConfigNode root = parse_document(R"({"a": "\uD83D\uDE00"})", "a.yaml");
  EXPECT_EQ(root.entries[0].value.text, "😀");
  EXPECT_EQ(config_error("{model: {heads: 2}}"), "accepted");
}

TEST(ConfigJson, syntax_errors_have_their_place) {
  EXPECT_EQ(json_error("{model: 1}"), "a.json:1:2: not JSON: expected a name in double quotes");
  EXPECT_EQ(json_error("{\"seed\": 1,}"),
            "a.json:1:12: not JSON: expected a name in double quotes");
  EXPECT_EQ(json_error("{\"seed\": 1\n \"model\": {}}"),
            "a.json:2:2: not JSON: expected `,` or `}`");
  EXPECT_EQ(json_error("{\"seed\" 1}"), "a.json:1:9: not JSON: expected `:`");
  EXPECT_EQ(json_error("{\"seed\": }"), "a.json:1:10: not JSON: expected a value");
  EXPECT_EQ(json_error("{\"seed\": "), "a.json:1:10: not JSON: the text ends too early");
  EXPECT_EQ(json_error("{\"seed\": 1"), "a.json:1:11: not JSON: expected `,` or `}`");
  EXPECT_EQ(json_error("{\"se"), "a.json:1:2: not JSON: text without its closing quote");
  EXPECT_EQ(json_error("{\"seed\": 1} 2"), "a.json:1:13: not JSON: something after the end");
  EXPECT_EQ(json_error("{\"model\": {\"activation\": relu}}"),
            "a.json:1:26: not JSON: `relu` is not a JSON value (text needs double quotes)");
  EXPECT_EQ(json_error("{\"seed\": 010}"),
            "a.json:1:10: not JSON: `010` is not a JSON value (text needs double quotes)");
  EXPECT_EQ(json_error("{\"seed\": NaN}"),
            "a.json:1:10: not JSON: `NaN` is not a JSON value (text needs double quotes)");
  EXPECT_EQ(json_error("// note\n{}"),
            "a.json:1:1: not JSON: `//` is not a JSON value (text needs double quotes)");
}

TEST(ConfigJson, mistakes_in_options_have_their_place) {
  EXPECT_EQ(json_error("{\n  \"model\": {\n    \"hedas\": 2}}"),
            "a.json:3:5: model.hedas: unknown option; did you mean model.heads?");
  EXPECT_EQ(json_error("{\"model\": {\"heads\": null}}"),
            "a.json:1:12: model.heads: has no value (null; allowed: whole number, 1 to 1024)");
  EXPECT_EQ(json_error("{\"seed\": 1,\n \"seed\": 2}"),
            "a.json:2:2: seed: written twice; the first one is in line 1");
  EXPECT_THAT(json_error("[1, 2]"), StartsWith("a.json:1:1: not a mapping of sections"));
  EXPECT_THAT(json_error("null"), StartsWith("a.json: says nothing"));
  EXPECT_THAT(json_error(""), StartsWith("a.json: empty"));
  EXPECT_EQ(json_error("{\"model\": {\"init_from\": \"äöü\", \"heads\": [1, [], {\"a\": 1}]}}"),
            "a.json:1:41: model.heads: takes one value (a list; allowed: whole number, 1 to "
            "1024)");
}

TEST(ConfigJson, deep_nesting_is_refused) {
  EXPECT_EQ(json_error(std::string(100000, '[')), "a.json:1:17: not JSON: nested too deeply");
}

}}  // namespace tapehead
