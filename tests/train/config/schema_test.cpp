// The schema describes every option, in the form that editors understand.
#include <nlohmann/json.hpp>

#include "tests/support/testing.hpp"
#include "train/config/config.hpp"
#include "train/config/rows.hpp"

namespace tapehead { namespace {

using nlohmann::json;

json schema() { return json::parse(config_schema()); }

TEST(ConfigSchema, every_option_is_described_and_no_other_is_allowed) {
  const json all = schema();
  EXPECT_EQ(all["$schema"], "https://json-schema.org/draft/2020-12/schema");
  Config config;
  for (const Section& section : sections(config)) {
    if (section.name == "task") {
      continue;
    }
    const json& part = section.name.empty() ? all : all["properties"][std::string(section.name)];
    EXPECT_EQ(part["additionalProperties"], false);
    for (const Row& row : section.rows) {
      const json& option = part["properties"][std::string(row.field.name)];
      EXPECT_TRUE(option.contains("description") && option.contains("default")) << row.field.name;
    }
  }
}

TEST(ConfigSchema, the_task_decides_its_options) {
  const json groups = schema()["properties"]["task"]["allOf"];
  ASSERT_EQ(groups.size(), task_groups().size());
  const json& synthetic = groups[0];
  EXPECT_EQ(synthetic["if"]["properties"]["name"]["enum"],
            json({"copy", "reverse", "sort", "previous_token", "induction"}));
  EXPECT_FALSE(synthetic["if"].contains("required"));  // because copy is the default task
  EXPECT_TRUE(synthetic["then"]["properties"].contains("longer_examples"));
  EXPECT_TRUE(synthetic["then"]["properties"].contains("name"));
  EXPECT_EQ(synthetic["then"]["additionalProperties"], false);
  const auto group_with = [&](const std::string& option) {
    for (const json& group : groups) {
      if (group["then"]["properties"].contains(option)) {
        return group;
      }
    }
    throw std::runtime_error("no task has " + option);
  };
  const json text = group_with("stream");
  EXPECT_TRUE(text["then"]["properties"].contains("train_text"));
  EXPECT_EQ(text["if"]["required"], json::array({"name"}));
  EXPECT_FALSE(text["then"]["properties"].contains("longer_examples"));
  const json pairs = group_with("further_tests")["then"]["properties"];
  EXPECT_EQ(pairs["further_tests"]["anyOf"],
            json::parse(R"([{"type": "string"}, {"type": "array", "items": {"type": "string"}}])"));
  EXPECT_EQ(pairs["further_tests"]["default"], json::array());
  EXPECT_EQ(pairs["header"]["enum"], json({"auto", true, false}));
}

TEST(ConfigSchema, types_and_ranges) {
  const json all = schema()["properties"];
  const json heads = all["model"]["properties"]["heads"];
  EXPECT_EQ(heads["type"], "integer");
  EXPECT_EQ(heads["minimum"], 1);
  EXPECT_EQ(heads["maximum"], 1024);
  EXPECT_EQ(heads["default"], 4);
  const json dropout = all["model"]["properties"]["dropout"];
  EXPECT_EQ(dropout["type"], "number");
  EXPECT_EQ(dropout["exclusiveMaximum"], 1);
  EXPECT_FALSE(dropout.contains("maximum"));
  const json minutes = all["training"]["properties"]["minutes"];
  EXPECT_EQ(minutes["anyOf"][0]["exclusiveMinimum"], 0);
  EXPECT_EQ(minutes["anyOf"][1]["enum"], json::array({"auto", nullptr}));
  EXPECT_EQ(minutes["default"], "auto");
  EXPECT_EQ(all["seed"]["maximum"], 18446744073709551615U);
  EXPECT_EQ(all["evaluation"]["properties"]["decode"]["type"], "boolean");
  EXPECT_EQ(all["model"]["properties"]["init_from"]["type"], "string");
  EXPECT_EQ(all["model"]["properties"]["norm"]["enum"], json({"layer_norm", "rms_norm", "none"}));
}

}}  // namespace tapehead
