// The error message of an action.
#pragma once

#include "tests/support/testing.hpp"

namespace tapehead {

// The message of the `Error` that the action throws; errors of other types propagate.
template <class Error, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

template <class Action>
std::string io_error_of(const Action& action) {
  return message_of<IoError>(action);
}

// Matches an action that throws an `Error` whose message has each of these parts.
template <class Error = ShapeError, class... Part>
auto throws(const Part&... parts) {
  return ThrowsMessage<Error>(AllOf(HasSubstr(parts)...));
}

}  // namespace tapehead
