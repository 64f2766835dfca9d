// Seeds for the tests of the gradient checker.
#pragma once

#include "tests/support/proof.hpp"
#include "tests/support/testing.hpp"

namespace tapehead {

constexpr std::uint64_t seeds_without_alarm = 1000;  // correct ops pass with 1 ... 1000
constexpr std::uint64_t mutant_seed = 1;             // seed for planting mistakes

// Calls `check` with the seeds from 1 until one fails: `sample` of them, or all in `./dev prove`.
inline void for_each_seed(Index sample, const std::function<void(std::uint64_t seed)>& check) {
  const Index seeds = proof_cases(sample, static_cast<Index>(seeds_without_alarm));
  for (Index seed = 1; seed <= seeds && !Test::HasFailure(); ++seed) {
    check(static_cast<std::uint64_t>(seed));
  }
}

}  // namespace tapehead
