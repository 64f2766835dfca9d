// The exceptions that tapehead throws, one type for each kind of remedy; and options that
// contradict each other.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace tapehead {

// Two shapes that do not match. The message names the op or layer, and both shapes.
struct ShapeError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// A wrong value in a config or on the command line. The message gives the place.
struct ConfigError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Input data that cannot be used. The message gives file and line.
struct DataError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file that cannot be read, written or trusted. The message gives its path and what is wrong.
struct IoError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A value, a gradient or a loss that is not finite. The message names op, parameter and step.
struct NumericError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Violation {
  std::vector<std::string> options;  // the likeliest to be wrong comes first
  std::string problem;
};

}  // namespace tapehead
