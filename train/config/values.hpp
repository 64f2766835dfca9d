// The value of one option: reading it from a node, writing it as text, and describing in words what
// is allowed.
#pragma once

#include <string>

#include "train/config/document/document.hpp"
#include "train/config/rows.hpp"

namespace tapehead {

// Reads the node into the row's member, according to the member's type. Throws ConfigError that
// says "what is wrong (the value; what is allowed)" without the place.
void read_value(const Row& row, const ConfigNode& node);

// The member's value in a notation that is valid in both YAML and JSON; `auto` if it is absent. A
// choice is its bare name.
std::string write_value(const Row& row);

// A number as a config shows it: the shortest text that reads back to it.
std::string number_text(double value);

std::string type_text(const Row& row);     // "whole number", "choice", ...
std::string range_text(const Row& row);    // "1 to 1024", "relu, gelu or silu", empty if anything
std::string allowed_text(const Row& row);  // both, for messages

// The help, and with what the option has an effect: "...; only with training.schedule linear,
// cosine".
std::string meaning_text(const Field& field);

}  // namespace tapehead
