// The error message of an action.
#pragma once

#include "core/prelude.hpp"

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

}  // namespace tapehead
