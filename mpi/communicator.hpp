// Wraps the MPI functions that ranks need, without exposing MPI's types.
#pragma once

#include <chrono>
#include <thread>

#include <sched.h>

#include "core/files/process.hpp"
#include "core/ranks/ranks.hpp"

namespace tapehead {

// How a rank waits: it polls without pause at first, then leaves its core to other processes.
class Patience {
 public:
  // Returns at once during the first millisecond, which is longer than most waits within a step.
  // Then yields, and after 50 ms, in which most transfers end, sleeps.
  void pause() {
    const double seconds = waited();
    if (seconds < look_seconds) {
      return;
    }
    looked_ = true;
    if (seconds < yield_seconds) {
      ::sched_yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(seconds < 1 ? 50 : 1000));
    }
  }

  bool looked() const { return looked_; }  // whether `pause` has begun to yield

  double waited() const { return seconds_since(begin_); }

 private:
  static constexpr double look_seconds = 0.001;
  static constexpr double yield_seconds = 0.05;

  Clock::time_point begin_ = Clock::now();
  bool looked_ = false;
};

// A short text from another rank, sent outside the exchanges.
struct Notice {
  Index from;
  std::string text;
};

// All processes of a launch (MPI_COMM_WORLD). One object per process; only the thread that created
// it may use it. Functions throw RankError if MPI reports an error.
class Communicator : NotCopied {
 public:
  static Launcher launcher();    // of the MPI library that this is compiled for
  static std::string library();  // its name and version

  Communicator();   // returns when all ranks have called it
  ~Communicator();  // leaves MPI running: without `finish` only the process's end is safe

  Index rank() const { return rank_; }
  Index count() const { return count_; }

  // Start a message and return at once. The bytes must stay valid until `done`. Messages from one
  // rank to another arrive in the order in which they are started.
  void begin_send(Index to, std::span<const std::byte> bytes);
  void begin_receive(Index from, std::span<std::byte> bytes);
  bool done();  // whether all started messages are sent or received

  // Cancels unfinished messages. If it returns false, their memory must stay valid, because a late
  // rank may still read or write it.
  bool withdraw();

  // Receives and drops messages that no receive waits for, so that their senders can finish.
  void discard();

  // Queues a copy of the text. `next_notice` returns the received notices, one per call.
  void post(Index to, const std::string& text);
  std::optional<Notice> next_notice();
  bool posted();  // whether all notices have been sent

  void finish();                           // ends MPI; all ranks must call it
  [[noreturn]] void abort(int exit_code);  // ends all ranks at once, including this one

 private:
  struct Requests;
  std::unique_ptr<Requests> requests_;
  int rank_ = 0;
  int count_ = 1;
};

}  // namespace tapehead
