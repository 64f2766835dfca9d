// Runs work in a separate process, for libraries that may end the process in which they run.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// The separate process ended before its work was done. what() says how, such as "signal 11
// (Segmentation fault)" or "exit code 255".
struct IsolatedEnd : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Returns what `work` returns. All its other changes are lost, and what it prints is discarded. The
// process is a copy of this one with only the calling thread, so `work` must not wait for others.
// Throws IsolatedEnd; DataError with the message of an exception that `work` throws; IoError if the
// process cannot be started.
std::string isolated(const std::function<std::string()>& work);

}  // namespace tapehead
