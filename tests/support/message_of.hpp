// What an action's error says, for tests of messages.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// The message of the error of this type that the action throws; errors of other types pass on.
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
