#include "train/config/json.hpp"

#include <nlohmann/json.hpp>

#include "train/config/rows.hpp"

namespace tapehead {
namespace {

// The value of one option. Lists are nested as in YAML: over layers, over heads, or both.
struct ValueJson {
  nlohmann::ordered_json operator()(const Choice& choice) const {
    return choice.names[choice.get()];
  }
  nlohmann::ordered_json operator()(const Notation& notation) const {
    const std::string text = notation.get();
    return notation.also_number && nlohmann::ordered_json::accept(text)
               ? nlohmann::ordered_json::parse(text)
               : nlohmann::ordered_json(text);
  }
  nlohmann::ordered_json operator()(const LayeredCell& list) const {
    nlohmann::ordered_json layers = nlohmann::ordered_json::array();
    for (Index i = 0; i < list.layers(); ++i) {
      layers.push_back(layer(list, i));
    }
    if (layers.empty()) {
      return nullptr;
    }
    return layers.size() == 1 ? layers.front() : layers;
  }
  template <class Value>
  nlohmann::ordered_json operator()(const std::optional<Value>* member) const {
    return *member ? nlohmann::ordered_json(**member) : nullptr;
  }
  template <class Value>
  nlohmann::ordered_json operator()(const Value* member) const {
    return *member;
  }

 private:
  nlohmann::ordered_json layer(const LayeredCell& list, Index number) const {
    nlohmann::ordered_json heads = nlohmann::ordered_json::array();
    for (Index head = 0; head < list.heads(number); ++head) {
      list.to_element(number, head);
      heads.push_back(std::visit(*this, list.element->cell));
    }
    const bool nested = list.by_head && list.layers() > 1;
    return heads.size() == 1 && !nested ? heads.front() : heads;
  }
};

}  // namespace

std::string config_json(const Config& config) {
  Config copy = config;  // rows point into their config
  nlohmann::ordered_json all;
  for (const Section& section : sections(copy)) {
    nlohmann::ordered_json& object = section.name.empty() ? all : all[std::string(section.name)];
    for (const Row& row : section.rows) {
      object[std::string(row.field.name)] = std::visit(ValueJson{}, row.cell);
    }
  }
  return all.dump(2);
}

}  // namespace tapehead
