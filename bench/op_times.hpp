// Where the time of a step goes, by kind of op, seen by watching the tapes: from one op to the
// next.
#pragma once

#include <array>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/clock.hpp"
#include "core/tape/tape.hpp"
#include "core/types.hpp"

namespace tapehead {

class OpTimes {
 public:
  static constexpr std::array<std::string_view, 4> kinds{"linear", "attention", "norm_activation",
                                                         "loss"};

  // Watches the tape from now on; for each shard of a step as it begins, from its own thread. A
  // tape may only be used as long as this lives.
  void watch(Tape& tape);

  // At the end of a step of `threads` threads. What comes after the last shard's end is the
  // optimiser's; waiting, embeddings and what is between the shards is "other".
  void finish_step(Clock::time_point begin, Clock::time_point end, Index threads);

  // Of all threads' time in the steps so far: the kinds above, "optimizer" and "other".
  nlohmann::ordered_json shares() const;

 private:
  struct Shard {
    Clock::time_point last;
    std::array<double, kinds.size() + 1> seconds{};  // the last one: of no kind
  };

  std::mutex mutex_;
  std::deque<Shard> shards_;  // of this step
  std::array<double, kinds.size()> seconds_{};
  double optimizer_ = 0;
  double total_ = 0;
};

}  // namespace tapehead
