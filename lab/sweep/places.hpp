// The places of a sweep on all ranks. Each place runs child processes one after the other; a child
// trains or scores one run.
#pragma once

#include <sys/types.h>
#include <chrono>

#include "core/prelude.hpp"
#include "core/ranks/ranks.hpp"

namespace tapehead {

struct ChildCommand {
  std::filesystem::path log;  // the child's output is appended here
  std::vector<std::string> arguments;
};

// The program of this process, even if its file has been replaced since the start.
inline const std::filesystem::path this_program = "/proc/self/exe";

class SweepChild {
 public:
  // Starts the program. The child gets no signals from the terminal, gets SIGTERM when the thread
  // that made this object ends, and does not take itself for part of this process's launch. Between
  // fork and exec, only calls run that are safe with threads and MPI. Throws IoError.
  explicit SweepChild(const ChildCommand& command,
                      const std::filesystem::path& program = this_program);
  SweepChild(const SweepChild&) = delete;
  SweepChild& operator=(const SweepChild&) = delete;
  ~SweepChild();  // asks the child to end, but does not wait

  void send(int signal) const;

  // Nothing while it runs. Then its exit code, 128 + the signal that ended it, or 127: not started.
  std::optional<int> exit_code();

 private:
  pid_t id_;
  std::optional<int> exit_code_;
};

// Ranks work in rounds, in which all ranks take part. The first rank decides. Its orders are
// carried out in the next round, in which it also receives the events of all ranks.
class SweepPlaces {
 public:
  // `each`: places on each rank. The value of the first rank counts.
  SweepPlaces(Ranks& ranks, Index each, std::filesystem::path program = this_program);
  // For trainings with `threads` threads. If `each` is 0, one rank has as many places as use all
  // cores; several ranks have one each, because launchers usually start about one rank per core.
  SweepPlaces(Ranks& ranks, Index each, Index threads);

  // `directory` is this rank's path to a directory that the first rank can see. Throws IoError on
  // every rank, naming the ranks that do not see a file that the first rank writes there.
  void expect_shared(const std::filesystem::path& directory);

  // Successive places are on successive ranks, so that children are spread over the ranks.
  Index count() const { return static_cast<Index>(places_.size()); }
  Index rank_of(Index place) const { return place % ranks_.count(); }
  Index ranks() const { return ranks_.count(); }

  // How many times a training may be tried, each time on another rank.
  std::size_t tries() const { return ranks_.count() > 1 ? 2 : 1; }

  // Between rounds. The same on all ranks, since a rank that waits takes time from trainings.
  std::chrono::milliseconds pause() const {
    return std::chrono::milliseconds(ranks_.count() > 1 ? 100 : 20);
  }

  // Whether a place is on the same rank as any place in `others`.
  bool is_beside(Index place, const std::vector<Index>& others) const;

  // For messages: " on rank 1 (host) and rank 2 (host)". Empty if there is only one rank.
  std::string where(const std::vector<Index>& places) const;

  // For the first rank. A place is free after its child has ended, until the next start.
  bool is_free(Index place) const { return !at(place).busy; }
  void start(Index place, ChildCommand command);
  void send_to_all(int signal);

  // The exit code of the child that ended at this place. Returned once, which frees the place.
  std::optional<int> take_exit_code(Index place);

  // The first stop signal that a rank received, or 0.
  int signal() const { return signal_; }

  // Ends the rounds of the other ranks.
  void close();

  // Takes part in a round. `signal`: the stop signal that this rank received, or 0. Returns whether
  // more rounds follow. Throws IoError if a child cannot be started here, and RankError if another
  // rank fails.
  bool round(int signal);

 private:
  struct Place {
    bool busy = false;
    std::optional<int> exit_code;
  };

  const Place& at(Index place) const { return places_[static_cast<std::size_t>(place)]; }
  std::string take_orders();
  bool follow(const std::string& orders);
  std::string report(int signal);
  void hear(const std::vector<std::string>& reports);

  Ranks& ranks_;
  std::filesystem::path program_;
  std::vector<Place> places_;
  // The orders of the next round, together with `signal_to_all_` and `closed_`.
  std::vector<std::pair<Index, ChildCommand>> starts_;
  int signal_to_all_ = 0;
  bool closed_ = false;
  int signal_ = 0;
  std::map<Index, SweepChild> children_;  // of this rank, by place
};

}  // namespace tapehead
