// How ranks end: what each has to say becomes one message and one exit code.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ranks/ranks.hpp"

namespace tapehead {

struct RankEnd {
  int exit_code = 0;
  std::string message{};   // of the error that ended it, if one did
  bool by_others = false;  // a RankError: the reason is another rank
};

// The end of all ranks. `ends` has that of each rank, or nothing if it is not known.
//
// Errors of ranks themselves come before what others say about them. Each message is there once,
// and names the ranks that it comes from unless rank 0 is one of them. The exit code is that of the
// first such error; without an error, that of the first rank whose code is not 0.
RankEnd end_of_all(const Ranks& ranks, std::span<const std::optional<RankEnd>> ends);

// What main prints for an error: a line that begins with "error: ". Empty if there is no message.
std::string error_line(const RankEnd& end);

}  // namespace tapehead
