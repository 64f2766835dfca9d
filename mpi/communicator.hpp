// The functions of MPI that ranks need, without MPI's own types.
#pragma once

#include <chrono>
#include <thread>

#include <sched.h>

#include "core/files/process.hpp"
#include "core/ranks/launcher.hpp"

namespace tapehead {

// How a rank waits: at first it looks as often as it can, later it leaves its core to others.
class Patience {
 public:
  // For the first millisecond, which is longer than most waits within a step, it returns at once.
  // Then it yields, and after 50 ms, in which most transfers end, it sleeps.
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

  bool looked() const { return looked_; }  // whether it pauses by now

  double waited() const { return seconds_since(begin_); }

 private:
  static constexpr double look_seconds = 0.001;
  static constexpr double yield_seconds = 0.05;

  Clock::time_point begin_ = Clock::now();
  bool looked_ = false;
};

// A short text from another rank, outside of what it exchanges.
struct Notice {
  Index from;
  std::string text;
};

// All processes of a launch (MPI_COMM_WORLD). Only the thread that made the object may use it, and
// a process makes one in its life. Functions throw RankError if MPI reports an error.
class Communicator {
 public:
  static Launcher launcher();    // which belongs to the library that this is compiled for
  static std::string library();  // its name and version

  Communicator();  // returns when all ranks have made theirs
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();  // leaves MPI as it is, since without `finish` only the process's end is safe

  Index rank() const { return rank_; }
  Index count() const { return count_; }

  // They begin a message and return at once. The bytes must stay until `done`. Messages from one
  // rank to another arrive in the order in which they begin.
  void begin_send(Index to, std::span<const std::byte> bytes);
  void begin_receive(Index from, std::span<std::byte> bytes);
  bool done();  // whether all messages that began have been sent or have arrived

  // Gives up the messages that are not done. If it returns false, their memory must stay, since a
  // late rank may still send to it or take from it.
  bool withdraw();

  // Takes what has arrived and nobody wants any more, so that its senders are done.
  void discard();

  // Sends a copy of the text, some time. `next_notice` returns those that have come, one by one.
  void post(Index to, const std::string& text);
  std::optional<Notice> next_notice();
  bool posted();  // whether all notices have been sent

  void finish();                           // ends MPI, which all ranks must do
  [[noreturn]] void abort(int exit_code);  // ends all ranks at once, this one too

 private:
  struct Requests;
  std::unique_ptr<Requests> requests_;
  int rank_ = 0;
  int count_ = 1;
};

}  // namespace tapehead
