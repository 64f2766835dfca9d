// JSON means the same as the equivalent YAML, and mistakes in it are reported with their places.
#include "tests/support/config_error.hpp"
#include "tests/support/testing.hpp"
#include "train/config/document/document.hpp"

namespace tapehead { namespace {

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

// It is read as JSON whatever the file is called.
TEST(ConfigJson, surrogate_escapes) {
  for (const std::string file : {"a.json", "a.yaml"}) {
    const ConfigNode root =
        parse_document(R"({"a": "\uD83D\uDE00", "b": "\uD83D\uDE00/\u00e4"})", file);
    EXPECT_EQ(root.entries[0].value.text, "😀");
    EXPECT_EQ(root.entries[1].value.text, "😀/ä");
    EXPECT_EQ(root.entries[1].value.mark.column, 28);
  }
  EXPECT_EQ(config_error("{model: {heads: 2}}"), "accepted");
}

TEST(ConfigJson, mistakes_have_their_place) {
  const std::string no_json = "is not a JSON value (text needs double quotes)";
  const std::string no_name = "not JSON: expected a name in double quotes";
  expect_config_errors(
      {
          {"{model: 1}", "1:2", no_name},
          {"{\"seed\": 1,}", "1:12", no_name},
          {"{\"seed\": 1\n \"model\": {}}", "2:2", "not JSON: expected `,` or `}`"},
          {"{\"seed\" 1}", "1:9", "not JSON: expected `:`"},
          {"{\"seed\": }", "1:10", "not JSON: expected a value"},
          {"{\"seed\": ", "1:10", "not JSON: the text ends too early"},
          {"{\"seed\": 1", "1:11", "not JSON: expected `,` or `}`"},
          {"{\"se", "1:2", "not JSON: text without its closing quote"},
          {"{\"seed\": 1} 2", "1:13", "not JSON: unexpected text after the end"},
          {"{\"model\": {\"activation\": relu}}", "1:26", "not JSON: `relu` " + no_json},
          {"{\"seed\": 010}", "1:10", "not JSON: `010` " + no_json},
          {"{\"seed\": NaN}", "1:10", "not JSON: `NaN` " + no_json},
          {"// note\n{}", "1:1", "not JSON: `//` " + no_json},
          {"{\n \"model\": {\"init_from\": \"\\uD83D\"}}", "2:25",
           "not JSON: text with an escape or a line break that JSON does not allow"},

          {"{\n  \"model\": {\n    \"hedas\": 2}}", "3:5: model.hedas", "mean model.heads?"},
          {"{\"model\": {\"heads\": null}}", "1:12: model.heads", "has no value (null; allowed"},
          {"{\"seed\": 1,\n \"seed\": 2}", "2:2: seed", "the first one is in line 1"},
          {"[1, 2]", "1:1", "not a mapping of sections"},
          {"null", "", "has no content"},
          {"", "", "empty"},
          {"{\"model\": {\"init_from\": \"äöü\", \"heads\": [1, [], {\"a\": 1}]}}",
           "1:41: model.heads", "takes one value (a list; allowed: whole number, 1 to 1024)"},
      },
      "a.json");
  EXPECT_EQ(config_error(std::string(100000, '['), {}, "a.json"),
            "a.json:1:17: not JSON: nested too deeply");
}

}}  // namespace tapehead
