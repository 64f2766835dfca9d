// The message of the IoError that an action throws.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

template <class Action>
std::string io_error_of(const Action& action) {
  try {
    action();
  } catch (const IoError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace tapehead
