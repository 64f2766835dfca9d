// The value of one option: reading it from a node, writing it as text, and describing in words what
// is allowed.
#pragma once

#include "train/config/document/document.hpp"
#include "train/config/rows.hpp"

namespace tapehead {

// Reads the node into the row's member, according to the member's type. Throws ConfigError that
// says "what is wrong (the value; what is allowed)" without the place.
void read_value(const Row& row, const ConfigNode& node);

// The member's value in a notation that is valid in both YAML and JSON; `auto` if it is absent. A
// choice is its bare name.
std::string write_value(const Row& row);

// The values of such a list as one, nested as in YAML: over layers, over heads, or both. `value_of`
// takes any cell, `list_of` a vector of what it returns.
template <class Visitor, class ListOf>
auto nested_values(const LayeredCell& list, const Visitor& value_of, const ListOf& list_of) {
  using Value = decltype(std::visit(value_of, list.element->cell));
  std::vector<Value> layers;
  for (Index layer = 0; layer < list.layers(); ++layer) {
    std::vector<Value> heads;
    for (Index head = 0; head < list.heads(layer); ++head) {
      list.to_element(layer, head);
      heads.push_back(std::visit(value_of, list.element->cell));
    }
    const bool nested = list.by_head && list.layers() > 1;
    layers.push_back(heads.size() == 1 && !nested ? heads.front() : list_of(heads));
  }
  return layers.size() == 1 ? layers.front() : list_of(layers);
}

// A number as a config shows it: the shortest text that reads back to it.
std::string number_text(double value);

std::string type_text(const Row& row);     // "whole number", "choice", ...
std::string range_text(const Row& row);    // "1 to 1024", "relu, gelu or silu", empty if anything
std::string allowed_text(const Row& row);  // both, for messages

// The help, and with what the option has an effect: "...; only with training.schedule linear,
// cosine".
std::string meaning_text(const Field& field);

}  // namespace tapehead
