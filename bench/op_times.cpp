#include "bench/op_times.hpp"

#include <algorithm>
#include <string>

namespace tapehead {

namespace {

std::size_t kind_of(std::string_view op) {
  constexpr std::array<std::pair<std::string_view, std::size_t>, 9> known{{{"linear", 0},
                                                                           {"attention", 1},
                                                                           {"layer_norm", 2},
                                                                           {"rms_norm", 2},
                                                                           {"bias_activation", 2},
                                                                           {"gated_activation", 2},
                                                                           {"residual", 2},
                                                                           {"dropout", 2},
                                                                           {"cross_entropy", 3}}};
  const auto* const found =
      std::ranges::find(known, op, &std::pair<std::string_view, std::size_t>::first);
  return found == known.end() ? OpTimes::kinds.size() : found->second;
}

}  // namespace

void OpTimes::watch(Tape& tape) {
  Shard* shard = nullptr;
  {
    const std::lock_guard lock(mutex_);
    shard = &shards_.emplace_back();
  }
  shard->last = Clock::now();
  tape.watch([shard](const TapeEvent& event) {
    const auto now = Clock::now();
    shard->seconds[kind_of(event.op)] += seconds_between(shard->last, now);
    shard->last = now;
  });
}

void OpTimes::finish_step(Clock::time_point begin, Clock::time_point end, Index threads) {
  auto last = begin;
  for (const Shard& shard : shards_) {
    last = std::max(last, shard.last);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      seconds_[kind] += shard.seconds[kind];
    }
  }
  optimizer_ += static_cast<double>(threads) * seconds_between(last, end);
  total_ += static_cast<double>(threads) * seconds_between(begin, end);
  shards_.clear();
}

nlohmann::ordered_json OpTimes::shares() const {
  nlohmann::ordered_json shares;
  double rest = 1;
  const auto add = [&](std::string_view name, double seconds) {
    shares[std::string(name)] = seconds / total_;
    rest -= seconds / total_;
  };
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    add(kinds[kind], seconds_[kind]);
  }
  add("optimizer", optimizer_);
  shares["other"] = rest;
  return shares;
}

}  // namespace tapehead
