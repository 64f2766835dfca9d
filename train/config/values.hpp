// The value of one option: read from a node, written as text, and what may stand there in words.
#pragma once

#include <string>

#include "train/config/document/document.hpp"
#include "train/config/rows.hpp"

namespace tapehead {

// Reads the node into the row's member, as what the member's type says. Throws ConfigError with
// "what is wrong (the value; what is allowed)" and no place.
void read_value(const Row& row, const ConfigNode& node);

// The member's value in the notation that YAML and JSON share; `auto` for one that is absent, and
// choices by their bare name.
std::string write_value(const Row& row);

// A number as a config shows it: the shortest text that reads back to it.
std::string number_text(double value);

std::string type_text(const Row& row);     // "whole number", "choice", ...
std::string range_text(const Row& row);    // "1 to 1024", "relu, gelu or silu", empty if anything
std::string allowed_text(const Row& row);  // both, for messages

}  // namespace tapehead
