// Isolated work: done in a process of its own, for libraries that may end the process they run in.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

namespace tapehead {

// The process of isolated work ended before the work was done: what() says how, as "signal 11
// (Segmentation fault)" or "exit code 255".
struct IsolatedEnd : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Returns what `work` returns; whatever else it changes is lost, and what it prints goes nowhere.
// The process that does it begins as a copy of this one with the calling thread alone, so `work`
// may not wait for other threads. Throws IsolatedEnd, DataError with the message of what `work`
// has thrown, and IoError where no process can be started.
std::string isolated(const std::function<std::string()>& work);

}  // namespace tapehead
