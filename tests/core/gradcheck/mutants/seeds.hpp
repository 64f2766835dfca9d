// Seeds for the tests of the gradient checker.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

constexpr std::uint64_t seeds_without_alarm = 1000;  // correct ops pass with 1 ... 1000
constexpr std::uint64_t mutant_seed = 1;             // seed for planting mistakes

}  // namespace tapehead
