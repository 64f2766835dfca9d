// Errors that all ranks throw alike, so that none waits for another.
#pragma once

#include <exception>

#include "core/ranks/ranks.hpp"

namespace tapehead {

// Throws on every rank, if at least one has an error: that of the smallest `place`, and of the
// smallest rank among those of one place. The rank that has it throws it itself. On the others a
// NumericError is one with the same message, since it is a result. Any other error is a fault of
// its rank, so it becomes a RankError that names the rank. `error`: null if this rank has none.
void throw_first(Ranks& ranks, const std::exception_ptr& error, Index place);

// Does the work of this rank. If it throws on some rank, every rank throws the error that a process
// alone would meet first, because `place` counts how far a rank has come in what all ranks do, and
// within a place the ranks' work is in the order of the ranks.
template <class Work>
void on_all_ranks(Ranks& ranks, const Index& place, const Work& work) {
  std::exception_ptr error;
  try {
    work();
  } catch (...) {
    error = std::current_exception();
  }
  throw_first(ranks, error, place);
}

}  // namespace tapehead
