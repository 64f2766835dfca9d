// The report of `plan`, which estimates a training before it starts, as a table and as JSON.
#pragma once

#include "core/files/json_text.hpp"
#include "train/options/options.hpp"
#include "train/plan/rehearsal.hpp"
#include "train/plan/run_plan.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct PlanFacts {
  std::string config;  // the file
  const Config& options;
  RunPlan run;
  Index threads;
  const Rehearsal& rehearsal;
};

std::string plan_table(const PlanFacts& facts);
Json plan_json(const PlanFacts& facts);

}}  // namespace tapehead::TAPEHEAD_PRECISION
