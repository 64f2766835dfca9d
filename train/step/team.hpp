// A team: the workers of all ranks together; those of this process if it works alone.
#pragma once

#include "core/kernel/workers.hpp"
#include "core/ranks/ranks.hpp"

namespace tapehead {

struct Team {
  // Both must outlive it.
  Team(Workers& own, Ranks& all = alone()) : workers(own), ranks(all) {}

  Workers& workers;  // of this process
  Ranks& ranks;
};

}  // namespace tapehead
