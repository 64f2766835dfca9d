// The seeds of the tests of the gradient checker.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

constexpr std::uint64_t seeds_without_alarm = 1000;  // a correct op passes with 1 ... this
constexpr std::uint64_t mutant_seed = 1;             // what is planted is planted here

}  // namespace tapehead
