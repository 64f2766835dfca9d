// The exceptions that tapehead throws, one type for each kind of remedy; and options that
// contradict each other.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace tapehead {

// An exception with a message, or with the parts of one, as fmt::format() takes them.
template <class Base>
struct FormattedError : Base {
  using Base::Base;
  template <class... Parts>
    requires(sizeof...(Parts) > 0)
  explicit FormattedError(fmt::format_string<Parts...> form, Parts&&... parts)
      : Base(fmt::format(form, std::forward<Parts>(parts)...)) {}
};

// Two shapes that do not match. The message names the op or layer, and both shapes.
struct ShapeError : FormattedError<std::invalid_argument> {
  using FormattedError::FormattedError;
};

// A wrong value in a config or on the command line. The message gives the place.
struct ConfigError : FormattedError<std::invalid_argument> {
  using FormattedError::FormattedError;
};

// Input data that cannot be used. The message gives file and line.
struct DataError : FormattedError<std::runtime_error> {
  using FormattedError::FormattedError;
};

// A file that cannot be read, written or trusted. The message gives its path and what is wrong.
struct IoError : FormattedError<std::runtime_error> {
  using FormattedError::FormattedError;
};

// A value, a gradient or a loss that is not finite. The message names op, parameter and step.
struct NumericError : FormattedError<std::runtime_error> {
  using FormattedError::FormattedError;
};

struct Violation {
  std::vector<std::string> options;  // the likeliest to be wrong comes first
  std::string problem;
};

}  // namespace tapehead
