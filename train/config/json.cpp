// Writes a config as JSON, and the JSON Schema of configs for editors.

#include "train/config/config.hpp"
#include "train/config/values.hpp"
#include "train/output/figure_table.hpp"

namespace tapehead {
namespace {

// The value of one option. Lists are nested as in YAML: over layers, over heads, or both.
struct ValueJson {
  Json operator()(const Choice& choice) const { return choice.names[choice.get()]; }
  Json operator()(const Notation& notation) const {
    const std::string text = notation.get();
    return notation.also_number && Json::accept(text) ? Json::parse(text) : Json(text);
  }
  Json operator()(const LayeredCell& list) const {
    return list.layers() == 0
               ? Json()
               : nested_values(list, *this, [](const auto& values) { return Json(values); });
  }
  template <class Value>
  Json operator()(const std::optional<Value>* member) const {
    return *member ? Json(**member) : nullptr;
  }
  Json operator()(const auto* member) const { return *member; }
};

template <class Number>
Json number_type(const Field& field) {
  Json schema{{"type", std::is_integral_v<Number> ? "integer" : "number"}};
  if (std::isfinite(field.minimum)) {
    schema[field.exclusive_minimum ? "exclusiveMinimum" : "minimum"] =
        Json::parse(number_text(field.minimum));
  }
  if (std::isfinite(field.maximum)) {
    schema[field.exclusive_maximum ? "exclusiveMaximum" : "maximum"] =
        Json::parse(number_text(field.maximum));
  }
  return schema;
}

Json auto_or_null() { return {{"enum", Json::array({"auto", nullptr})}}; }

struct ValueSchema {
  const Field& field;

  Json operator()(const bool*) const { return {{"type", "boolean"}}; }
  Json operator()(const std::string*) const { return {{"type", "string"}}; }
  Json operator()(const std::vector<std::string>*) const {
    const Json text{{"type", "string"}};
    return {{"anyOf", Json::array({text, {{"type", "array"}, {"items", text}}})}};
  }
  Json operator()(const Index*) const { return number_type<Index>(field); }
  Json operator()(const double*) const { return number_type<double>(field); }
  Json operator()(const std::uint64_t*) const {
    return {{"type", "integer"},
            {"minimum", 0},
            {"maximum", std::numeric_limits<std::uint64_t>::max()}};
  }
  template <class Number>
  Json operator()(const std::optional<Number>*) const {
    return {{"anyOf", Json::array({number_type<Number>(field), auto_or_null()})}};
  }
  Json operator()(const Choice& choice) const {
    Json allowed = Json::array();  // YAML reads true and false as booleans
    for (const std::string_view name : choice.names) {
      allowed.push_back(name == "true" || name == "false" ? Json(name == "true") : Json(name));
    }
    return {{"enum", allowed}};
  }
  Json operator()(const Notation& notation) const {
    return {{"type", notation.also_number ? Json::array({"string", "integer"}) : Json("string")}};
  }
  Json operator()(const LayeredCell& list) const {
    const Json element = std::visit(*this, list.element->cell);
    const auto list_of = [](const Json& items) {
      return Json{{"type", "array"}, {"minItems", 1}, {"items", items}};
    };
    Json any = Json::array({element, list_of(element)});
    if (list.by_head) {
      any.push_back(list_of(Json{{"anyOf", Json::array({element, list_of(element)})}}));
    }
    any.push_back(auto_or_null());
    return {{"anyOf", any}};
  }
};

// The default of an option as a schema shows it.
Json default_value(const Row& row) {
  if (const auto* notation = std::get_if<Notation>(&row.cell)) {
    return notation->get();
  }
  return is_optional(row) ? Json("auto") : std::visit(ValueJson{}, row.cell);
}

Json properties(const std::vector<Row>& rows) {
  Json all = Json::object();
  for (const Row& row : rows) {
    Json& schema = all[std::string(row.field.name)];
    schema = std::visit(ValueSchema{row.field}, row.cell);
    schema["default"] = default_value(row);
    const std::string_view unit = row.field.unit;
    schema["description"] =
        meaning_text(row.field) + (unit.empty() ? "" : fmt::format(" [{}]", unit));
  }
  return all;
}

// The options of the section `task` depend on the task's name. Without a name it is the default
// task.
Json task_schema() {
  Json variants = Json::array();
  Json result;
  for (const auto& group : task_groups()) {
    const Json names = mapped(group, &TaskKind::name);
    Config config = config_for(*group.front());
    const Section section = sections(config)[1];
    Json condition{{"properties", {{"name", {{"enum", names}}}}}};
    if (std::ranges::count(group, &TaskOptions{}.kind()) == 0) {
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

std::string config_json(const Config& config) {
  Json all;
  for_each_option(config, [&](const std::string& name, const Row& row) {
    put(all, name, std::visit(ValueJson{}, row.cell));
  });
  return all.dump(2);
}

std::string config_schema() {
  Config config;
  Json all{{std::string(base_key),
            {{"type", "string"},
             {"description", "a config file to inherit from, relative to this one"}}}};
  for (const Section& section : sections(config)) {
    if (section.name.empty()) {
      all.update(properties(section.rows));
    } else if (section.name == "task") {
      all["task"] = task_schema();
    } else {
      all[std::string(section.name)] = {{"description", section.help},
                                        {"type", Json::array({"object", "null"})},
                                        {"properties", properties(section.rows)},
                                        {"additionalProperties", false}};
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
