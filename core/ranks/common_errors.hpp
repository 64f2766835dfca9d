// Errors that all ranks throw alike, so that none waits for another.
#pragma once

#include <exception>
#include <optional>
#include <string>

#include "core/errors.hpp"
#include "core/ranks/ranks.hpp"

namespace tapehead {

// Throws on every rank, if `mine` has a text on at least one: the error of the smallest `place`,
// and of the smallest rank among those of one place.
void throw_first(Ranks& ranks, const std::optional<std::string>& mine, Index place);

// Does the work of this rank. If it throws NumericError on some rank, every rank throws one: that
// which a process alone would meet first, because `place` counts how far a rank has come in what
// all ranks do, and within a place the ranks' work is in the order of the ranks.
template <class Work>
void on_all_ranks(Ranks& ranks, const Index& place, const Work& work) {
  if (ranks.count() == 1) {
    work();
    return;
  }
  std::optional<std::string> failure;
  try {
    work();
  } catch (const NumericError& error) {
    failure = error.what();
  }
  throw_first(ranks, failure, place);
}

}  // namespace tapehead
