// What ranks tell each other outside exchanges: whether they are there, and how they ended.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/ranks/ranks.hpp"
#include "mpi/communicator.hpp"

namespace tapehead {

class Notices {
 public:
  explicit Notices(Communicator& world);

  // Takes all notices that have come, and answers the questions among them. Only a rank that calls
  // this, since it waits, answers.
  void hear();

  // Asks all other ranks whether they are there. Until the next question, `answered` says who was.
  void ask();
  bool answered(Index rank) const { return answered_[static_cast<std::size_t>(rank)]; }

  // Tells all other ranks how this one ended.
  void tell_end(const RankEnd& end);

  // How each rank ended, or nothing if that has not been heard.
  std::span<const std::optional<RankEnd>> ends() const { return ends_; }

 private:
  void take(const Notice& notice);
  void post_to_others(const std::string& text);

  Communicator& world_;
  std::vector<bool> answered_;
  std::vector<std::optional<RankEnd>> ends_;
  int question_ = 0;  // the number of the newest one, which its answers repeat
};

// A roll call: after the deadline, ranks are asked whether they are there.

class RollCall {
 public:
  // Ranks are asked after `patience` seconds, and have `answer` seconds to answer.
  RollCall(Notices& notices, double patience, double answer);

  // To be called again and again while this rank waits. Returns the ranks that did not answer or
  // have ended; usually none. A rank that answers waits itself, so it is not what this one waits
  // for: then the wait begins anew.
  std::vector<Index> missing();

 private:
  std::vector<Index> absent() const;

  Notices& notices_;
  double patience_;
  double answer_;
  Clock::time_point begin_ = Clock::now();
  std::optional<Clock::time_point> asked_;
};

}  // namespace tapehead
