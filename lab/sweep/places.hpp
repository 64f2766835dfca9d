// The places of a sweep: where its child processes, each the training or the scoring of one run,
// run one after the other, on all ranks.
#pragma once

#include <sys/types.h>
#include <chrono>

#include "core/prelude.hpp"
#include "core/ranks/ranks.hpp"

namespace tapehead {

struct ChildCommand {
  std::filesystem::path log;  // what the child prints is appended here
  std::vector<std::string> arguments;
};

// What this process runs, also if its file has been replaced since.
inline const std::filesystem::path this_program = "/proc/self/exe";

class SweepChild {
 public:
  // Starts the program. It gets no signals from the terminal, gets SIGTERM when the thread that
  // made this object ends, and does not take itself for a part of this process's launch. Between
  // fork and exec only calls are made that are safe in a process with threads or MPI. Throws
  // IoError.
  explicit SweepChild(const ChildCommand& command,
                      const std::filesystem::path& program = this_program);
  SweepChild(const SweepChild&) = delete;
  SweepChild& operator=(const SweepChild&) = delete;
  ~SweepChild();  // asks it to end, which it may do later

  void send(int signal) const;

  // Nothing while it runs; then its exit code, 128 + the signal that ended it, or 127: not started.
  std::optional<int> exit_code();

 private:
  pid_t id_;
  std::optional<int> exit_code_;
};

// Ranks work in rounds, in which all take part. The first rank decides: what it asks for happens in
// the next round, in which it also hears what happened on all ranks.
class SweepPlaces {
 public:
  // `each`: places on each rank; that of the first rank counts.
  SweepPlaces(Ranks& ranks, Index each, std::filesystem::path program = this_program);
  // For trainings of so many threads. `each` may be 0: as many as use all cores or, since a
  // launcher usually starts a rank for each core or so, one on each of several ranks.
  SweepPlaces(Ranks& ranks, Index each, Index threads);

  // `directory`, by which path this rank knows it, exists for the first rank. Throws IoError on
  // every rank, with the names of the ranks that do not see a file that the first one writes there.
  void expect_shared(const std::filesystem::path& directory);

  // Successive places are on successive ranks, so that few children are on many ranks.
  Index count() const { return static_cast<Index>(places_.size()); }
  Index rank_of(Index place) const { return place % ranks_.count(); }
  Index ranks() const { return ranks_.count(); }

  // How often a training may be tried, each time on another rank.
  std::size_t tries() const { return ranks_.count() > 1 ? 2 : 1; }

  // Between rounds: for all ranks the same, since one that waits takes time from trainings.
  std::chrono::milliseconds pause() const {
    return std::chrono::milliseconds(ranks_.count() > 1 ? 100 : 20);
  }

  // Whether the place is on the same rank as one of the others.
  bool is_beside(Index place, const std::vector<Index>& others) const;

  // " on rank 1 (host) and rank 2 (host)", for a message; empty if there is one rank.
  std::string where(const std::vector<Index>& places) const;

  // For the first rank. A place is free from the end of its child until the next start.
  bool is_free(Index place) const { return !at(place).busy; }
  void start(Index place, ChildCommand command);
  void send_to_all(int signal);

  // The exit code of the child that ended at this place, once; afterwards the place is free.
  std::optional<int> take_exit_code(Index place);

  // The first stop signal that a rank received, or 0.
  int signal() const { return signal_; }

  // Ends the rounds of the other ranks.
  void close();

  // Takes part in a round. `signal`: the stop signal that this rank has received, or 0. Returns
  // whether there are further rounds. Throws IoError if a child cannot be started here, RankError
  // if another rank fails.
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
  // With `signal_to_all_` and `closed_`, the orders of the next round.
  std::vector<std::pair<Index, ChildCommand>> starts_;
  int signal_to_all_ = 0;
  bool closed_ = false;
  int signal_ = 0;
  std::map<Index, SweepChild> children_;  // of this rank, by place
};

}  // namespace tapehead
