// Reads the value of one option from a node, writes it as text, and describes the allowed values in
// words.
#pragma once

#include "train/config/document/document.hpp"
#include "train/config/rows.hpp"

namespace tapehead {

// Reads the node into the row's member, according to the member's type. Throws ConfigError with the
// message "what is wrong (the value; what is allowed)", without the place.
void read_value(const Row& row, const ConfigNode& node);

// The member's value as a config has it. Numbers, texts and lists of these are valid YAML and JSON;
// an absent value is `auto`, and choices and notations have no quotes.
std::string write_value(const Row& row);

// The values of a layered option as one value, nested as in YAML: over layers, over heads, or both.
// `value_of` converts any cell; `list_of` makes a list of a vector of such results.
auto nested_values(const LayeredCell& list, const auto& value_of, const auto& list_of) {
  const bool nested = list.by_head && list.layers() > 1;
  const auto layers = mapped(numbers_below(list.layers()), [&](Index layer) {
    const auto heads = mapped(numbers_below(list.heads(layer)), [&](Index head) {
      list.to_element(layer, head);
      return std::visit(value_of, list.element->cell);
    });
    return heads.size() == 1 && !nested ? heads.front() : list_of(heads);
  });
  return layers.size() == 1 ? layers.front() : list_of(layers);
}

// A number as a config shows it: the shortest text that is read as the same number. A whole number
// below 1e16 has only digits.
std::string number_text(double value);

bool is_optional(const Row& row);  // whether an absent value means `auto`

std::string range_text(const Row& row);    // "1 to 1024", "relu, gelu or silu", empty if anything
std::string values_text(const Row& row);   // with the type: "whole number, 1 to 1024"
std::string allowed_text(const Row& row);  // with "or auto", for messages

// The option's help, and the condition under which the option has an effect: "...; only with
// training.schedule linear, cosine".
std::string meaning_text(const Field& field);

}  // namespace tapehead
