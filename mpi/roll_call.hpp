// A roll call: after the deadline, ranks are asked whether they are there.
#pragma once

#include <optional>
#include <vector>

#include "core/clock.hpp"
#include "mpi/notices.hpp"

namespace tapehead {

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
