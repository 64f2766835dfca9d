// Ranks: the processes that work on one training, on one machine or several, and how they end.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// Bytes for another rank, or from it.
struct Outgoing {
  Index to;
  std::span<const std::byte> bytes;
};
struct Incoming {
  Index from;
  std::span<std::byte> bytes;
};

// A rank that failed or does not answer. The message names it.
struct RankError : FormattedError<std::runtime_error> {
  using FormattedError::FormattedError;
};

// Ranks only carry bytes, so a sum has the order that its reader chooses. Only the thread that made
// the object may use it.
class Ranks {
 public:
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  virtual ~Ranks() = default;

  virtual Index rank() const = 0;   // of this process, from 0
  virtual Index count() const = 0;  // of all processes
  bool first() const { return rank() == 0; }

  virtual std::string name(Index rank) const = 0;  // in messages: "rank 2 (host name)"
  virtual std::string library() const = 0;         // that carries the bytes

  // Returns when all bytes have arrived and `outgoing` may be changed. What one rank sends to
  // another arrives in the order of the lists, with the lengths that the receiver expects. Throws
  // RankError if a rank fails or does not answer.
  virtual void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) = 0;
};

Ranks& alone();  // a process that works alone

// How a rank ends.
struct RankEnd {
  int exit_code = 0;
  std::string message{};   // of the error that ended it, if one did
  bool by_others = false;  // a RankError: the reason is another rank
};

// One message and exit code for the ends of all ranks; an end may be unknown. Errors of ranks
// themselves come before what others say about them. Each message is there once, and names the
// ranks that it comes from unless rank 0 is one of them. The exit code is that of the first such
// error; without an error, that of the first rank whose code is not 0.
RankEnd end_of_all(const Ranks& ranks, std::span<const std::optional<RankEnd>> ends);

// What main prints for an error: a line that begins with "error: ". Empty if there is no message.
std::string error_line(const RankEnd& end);

}  // namespace tapehead
