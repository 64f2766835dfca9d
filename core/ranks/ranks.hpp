// Ranks: the processes that work on one training, on one machine or several; what every rank knows
// after an exchange in which all take part; and how they end, with errors that all ranks throw
// alike, so that none waits for another.
#pragma once

#include "core/kernel/workers.hpp"

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

// Fills `all`, of which each rank has its part: that of rank r from begins[r] to begins[r + 1].
void share_parts(Ranks& ranks, std::span<std::byte> all, std::span<const std::size_t> begins);

// The texts of all ranks, by rank; and that of rank 0.
std::vector<std::string> share_texts(Ranks& ranks, std::string_view mine);
std::string text_of_first(Ranks& ranks, std::string_view mine);

// The bytes of rank 0, which the others write into theirs.
void copy_from_first(Ranks& ranks, std::span<std::byte> bytes);

// The values of all ranks, by rank.
template <class T>
  requires std::is_trivially_copyable_v<T>
std::vector<T> share_values(Ranks& ranks, const T& mine) {
  const auto count = static_cast<std::size_t>(ranks.count());
  std::vector<T> all(count);
  all[static_cast<std::size_t>(ranks.rank())] = mine;
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i <= count; ++i) {
    begins.push_back(i * sizeof(T));
  }
  share_parts(ranks, std::as_writable_bytes(std::span(all)), begins);
  return all;
}

// The value of rank 0, which decides.
template <class T>
  requires std::is_trivially_copyable_v<T>
T value_of_first(Ranks& ranks, T mine) {
  copy_from_first(ranks, std::as_writable_bytes(std::span(&mine, 1)));
  return mine;
}

// Throws on every rank if one has an error: that of the smallest `place`, and there of the smallest
// rank, which throws it itself. On the others a NumericError, a result, is one with the same
// message; any other error, a fault of its rank, becomes a RankError that names it. `error`: null
// if this rank has none.
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

// How many worker threads a rank has unless the user says: its part of the cores that it and other
// ranks of its machine may use. All ranks must call it together.
ThreadCount default_thread_count(Ranks& ranks);

}  // namespace tapehead
