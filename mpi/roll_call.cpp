#include "mpi/roll_call.hpp"

namespace tapehead {

RollCall::RollCall(Notices& notices, double patience, double answer)
    : notices_(notices), patience_(patience), answer_(answer) {}

std::vector<Index> RollCall::missing() {
  if (!asked_) {
    if (seconds_since(begin_) > patience_) {
      notices_.ask();
      asked_ = Clock::now();
    }
    return {};
  }
  std::vector<Index> ranks = absent();
  if (ranks.empty()) {
    begin_ = Clock::now();
    asked_.reset();
  } else if (seconds_since(*asked_) < answer_) {
    ranks.clear();
  }
  return ranks;
}

std::vector<Index> RollCall::absent() const {
  std::vector<Index> ranks;
  const auto ends = notices_.ends();
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    if (!notices_.answered(static_cast<Index>(rank)) || ends[rank]) {
      ranks.push_back(static_cast<Index>(rank));
    }
  }
  return ranks;
}

}  // namespace tapehead
