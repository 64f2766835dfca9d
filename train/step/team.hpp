// A team: what computes the parts of a job in parallel.
#pragma once

#include "core/kernel/workers.hpp"
#include "core/ranks/ranks.hpp"

namespace tapehead {

// The workers of all ranks, or of a single process.
struct Team {
  // `own` and `all` must outlive the team.
  Team(Workers& own, Ranks& all = alone()) : workers(own), ranks(all) {}

  Workers& workers;  // of this process
  Ranks& ranks;
};

}  // namespace tapehead
