// The JSON Schema of a config, for editors.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "train/config/bases.hpp"
#include "train/config/config.hpp"
#include "train/config/rows.hpp"
#include "train/config/values.hpp"

namespace tapehead {
namespace {

using Json = nlohmann::ordered_json;

// A limit that is a whole number is written without a point.
Json limit(double value) {
  constexpr double exact = 9007199254740992;  // 2^53
  if (value == std::floor(value) && std::abs(value) < exact) {
    return static_cast<Index>(value);
  }
  return value;
}

Json number_type(const Field& field, std::string_view type) {
  Json schema{{"type", type}};
  if (std::isfinite(field.minimum)) {
    schema[field.exclusive_minimum ? "exclusiveMinimum" : "minimum"] = limit(field.minimum);
  }
  if (std::isfinite(field.maximum)) {
    schema[field.exclusive_maximum ? "exclusiveMaximum" : "maximum"] = limit(field.maximum);
  }
  return schema;
}

Json or_auto(Json schema) {
  return {{"anyOf", Json::array({std::move(schema), {{"enum", Json::array({"auto", nullptr})}}})}};
}

// The schema of one option's value, and its default.
struct ValueSchema {
  const Field& field;

  Json operator()(const bool* member) const { return {{"type", "boolean"}, {"default", *member}}; }
  Json operator()(const std::string* member) const {
    return {{"type", "string"}, {"default", *member}};
  }
  Json operator()(const std::vector<std::string>* member) const {
    const Json text{{"type", "string"}};
    return {{"anyOf", Json::array({text, {{"type", "array"}, {"items", text}}})},
            {"default", *member}};
  }
  Json operator()(const Index* member) const {
    Json schema = number_type(field, "integer");
    schema["default"] = *member;
    return schema;
  }
  Json operator()(const double* member) const {
    Json schema = number_type(field, "number");
    schema["default"] = *member;
    return schema;
  }
  Json operator()(const std::uint64_t* member) const {
    return {{"type", "integer"},
            {"minimum", 0},
            {"maximum", std::numeric_limits<std::uint64_t>::max()},
            {"default", *member}};
  }
  Json operator()(const std::optional<Index>*) const {
    Json schema = or_auto(number_type(field, "integer"));
    schema["default"] = "auto";
    return schema;
  }
  Json operator()(const std::optional<double>*) const {
    Json schema = or_auto(number_type(field, "number"));
    schema["default"] = "auto";
    return schema;
  }
  Json operator()(const Choice& choice) const {
    Json allowed = Json::array();  // of true, false and texts, as YAML reads them
    for (const std::string_view name : choice.names) {
      allowed.push_back(name == "true" || name == "false" ? Json(name == "true") : Json(name));
    }
    return {{"enum", allowed}, {"default", choice.names[choice.get()]}};
  }
  Json operator()(const Notation& notation) const {
    if (notation.also_number) {
      return {{"type", {"string", "integer"}}, {"default", notation.get()}};
    }
    return {{"type", "string"}, {"default", notation.get()}};
  }
  Json operator()(const LayeredCell& list) const {
    Json element = std::visit(*this, list.element->cell);
    element.erase("default");
    const auto list_of = [](const Json& items) {
      return Json{{"type", "array"}, {"minItems", 1}, {"items", items}};
    };
    Json any = Json::array({element, list_of(element)});
    if (list.by_head) {
      any.push_back(list_of(Json{{"anyOf", Json::array({element, list_of(element)})}}));
    }
    any.push_back({{"enum", Json::array({"auto", nullptr})}});
    return {{"anyOf", any}, {"default", "auto"}};
  }
};

Json option_schema(const Row& row) {
  Json schema = std::visit(ValueSchema{row.field}, row.cell);
  std::string help = meaning_text(row.field);
  if (!row.field.unit.empty()) {
    help += " [" + std::string(row.field.unit) + "]";
  }
  schema["description"] = help;
  return schema;
}

Json properties(const std::vector<Row>& rows) {
  Json all = Json::object();
  for (const Row& row : rows) {
    all[std::string(row.field.name)] = option_schema(row);
  }
  return all;
}

Json section_schema(const Section& section) {
  return {{"description", section.help},
          {"type", Json::array({"object", "null"})},
          {"properties", properties(section.rows)},
          {"additionalProperties", false}};
}

// The options of the task section depend on its name. A section without a name is that of the
// default task.
Json task_schema() {
  Json variants = Json::array();
  Json result;
  for (const auto& group : task_groups()) {
    Json names = Json::array();
    for (const TaskKind* task : group) {
      names.push_back(task->name);
    }
    const bool is_default = std::ranges::find(group, &TaskOptions{}.kind()) != group.end();
    Config config = config_for(*group.front());
    const Section section = sections(config)[1];
    Json condition{{"properties", {{"name", {{"enum", names}}}}}};
    if (!is_default) {
      condition["required"] = Json::array({"name"});
    }
    Json options = properties(section.rows);
    const Json name = std::exchange(options["name"], Json(true));
    if (result.is_null()) {
      result = {{"description", section.help},
                {"type", Json::array({"object", "null"})},
                {"properties", {{"name", name}}}};
    }
    variants.push_back(
        {{"if", condition}, {"then", {{"properties", options}, {"additionalProperties", false}}}});
  }
  result["allOf"] = variants;
  return result;
}

}  // namespace

std::string config_schema() {
  Config config;
  Json all{{std::string(base_key),
            {{"type", "string"},
             {"description", "a config file to inherit from, relative to this one"}}}};
  for (const Section& section : sections(config)) {
    if (section.name.empty()) {
      all.update(properties(section.rows));
    } else {
      all[std::string(section.name)] =
          section.name == "task" ? task_schema() : section_schema(section);
    }
  }
  const Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                    {"title", "tapehead config"},
                    {"type", "object"},
                    {"properties", all},
                    {"additionalProperties", false}};
  return schema.dump(2);
}

}  // namespace tapehead
