// What an optimiser keeps of a parameter, when several ranks keep parts of it: brought to rank 0,
// which writes checkpoints, and from it.
#pragma once

#include <span>
#include <vector>

#include "core/ranks/ranks.hpp"
#include "train/step/optimizer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

class RankMoments {
 public:
  // Both must outlive it.
  RankMoments(Optimizer& optimizer, Ranks& ranks) : optimizer_(optimizer), ranks_(ranks) {}

  // On rank 0 all numbers of the parameter in this state, until the next call; elsewhere none.
  std::span<const Scalar> bring(const Optimizer::State& state, const NamedParameter& parameter);

  // Gives each rank its part of the numbers, which only rank 0 has.
  void give(const Optimizer::State& state, const NamedParameter& parameter,
            std::span<const Scalar> all);

 private:
  struct Part {
    Index rank;
    std::size_t first;  // of the parameter's numbers
    std::size_t count;
  };
  std::vector<Part> parts_of(const NamedParameter& parameter) const;

  Optimizer& optimizer_;
  Ranks& ranks_;
  std::vector<Scalar> all_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
