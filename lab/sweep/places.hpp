// The places of a sweep on all ranks. Each place runs child processes one after the other.
#pragma once

#include <sys/types.h>
#include <chrono>

#include "core/files/json_text.hpp"
#include "core/ranks/ranks.hpp"

namespace tapehead {

struct ChildCommand {
  fs::path log;  // the child's output is appended here
  std::vector<std::string> arguments;
};

// A child process of a sweep, which trains or scores one run.
class SweepChild : NotCopied {
 public:
  // Starts this program, or another one. The child gets no signals from the terminal, gets SIGTERM
  // when the thread that made this object ends, and does not take itself for part of this process's
  // launch. Between fork and exec, only calls run that are safe with threads and MPI. Throws
  // IoError.
  explicit SweepChild(const ChildCommand& command, const fs::path& other = {});
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
  SweepPlaces(Ranks& ranks, Index each, fs::path other = {});
  // For trainings with `threads` threads. If `each` is 0, one rank has as many places as use all
  // cores; several ranks have one each, because launchers usually start about one rank per core.
  SweepPlaces(Ranks& ranks, Index each, Index threads);

  // `directory` is this rank's path to a directory that the first rank can see. Throws IoError on
  // every rank, naming the ranks that do not see a file that the first rank writes there.
  void expect_shared(const fs::path& directory);

  // How long other ranks wait while the first rank plans a sweep or compares its cells, in seconds.
  static constexpr double longest_solo = 600;

  // Successive places are on successive ranks, so that children are spread over the ranks.
  Index count() const { return static_cast<Index>(places_.size()); }
  Index rank_of(Index place) const { return place % ranks_.count(); }

  // How many times a training may be tried, each time on another rank.
  std::size_t tries() const { return ranks_.count() > 1 ? 2 : 1; }

  // Between rounds. The same on all ranks, since a rank that waits takes time from trainings.
  std::chrono::milliseconds pause() const {
    return std::chrono::milliseconds(ranks_.count() > 1 ? 100 : 20);
  }

  // For messages: "; 2 ranks". Empty if there is only one rank.
  std::string spread() const {
    return ranks_.count() > 1 ? fmt::format("; {} ranks", ranks_.count()) : "";
  }
  // For messages: " on rank 1 (host) and rank 2 (host)". Empty if there is only one rank.
  std::string where(const std::vector<Index>& places) const;

  // For the first rank. A place is free after its child has ended, until the next start.
  bool is_free(Index place) const { return !at(place).busy; }
  void start(Index place, const ChildCommand& command);
  void send_to_all(int signal) { orders_["signal"] = signal; }

  // The exit code of the child that ended at this place. Returned once, which frees the place.
  std::optional<int> take_exit_code(Index place);

  // The first stop signal that a rank received, or 0.
  int signal() const { return signal_; }

  void close();  // ends the rounds of the other ranks

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
  void follow(const Json& orders);
  Json take_ends();

  Ranks& ranks_;
  fs::path other_program_;
  std::vector<Place> places_;
  // The orders for the next round: "starts", "signal", "closed"; absent: no such order.
  Json orders_ = Json::object();
  int signal_ = 0;
  std::map<Index, SweepChild> children_;  // of this rank, by place
};

}  // namespace tapehead
