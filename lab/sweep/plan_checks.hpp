// Finds mistakes of a sweep before any of its runs is trained.
#pragma once

#include "lab/sweep/file.hpp"
#include "lab/sweep/plan.hpp"

namespace tapehead {

// Throws ConfigError if two axes, or an axis and `set`, set the same option, since one of them
// would have no effect.
void expect_separate(const SweepFile& sweep);

// Throws ConfigError if runs have no directories of their own, if settings of an axis make the same
// configs, or if a run has no such split or does not measure the metric. The plan must be complete.
void expect_sound(const SweepFile& sweep, const SweepPlan& plan);

}  // namespace tapehead
