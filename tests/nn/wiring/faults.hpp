// All wiring faults, in the groups of docs/wiring-faults.md.
#pragma once

#include "tests/nn/wiring/backward_faults.hpp"
#include "tests/nn/wiring/detached_faults.hpp"
#include "tests/nn/wiring/input_faults.hpp"
#include "tests/nn/wiring/order_faults.hpp"
#include "tests/nn/wiring/setting_faults.hpp"
#include "tests/nn/wiring/sum_faults.hpp"
#include "tests/nn/wiring/unused_faults.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

struct FaultGroup {
  std::string title;
  std::string about;
  std::vector<Fault> faults;
};

inline std::vector<Fault> joined(const std::vector<std::vector<Fault>>& lists) {
  std::vector<Fault> all;
  for (const std::vector<Fault>& list : lists) {
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

inline std::vector<FaultGroup> fault_groups() {
  return {
      {.title = "Another gradient",
       .about =
           R"(The loss is right, and its gradient is not. `gradcheck_model` finds all of these. It names every parameter whose
gradient comes through the fault, and no other. The reference has the same loss, and other gradients of the same
parameters.)",
       .faults = joined(
           {shard_faults(), use_faults(), detached_faults(), frozen_faults(), backward_faults()})},
      {.title = "Parameters left out",
       .about =
           R"(`gradcheck_model` finds all of these too. It names the parameters on which the loss no longer depends, and no other.)",
       .faults = unused_faults()},
      {.title = "Another function",
       .about =
           R"(The gradient is the right one of what is computed, so `gradcheck_model` has nothing to say. The reference differs.)",
       .faults = joined({order_faults(), setting_faults(), input_faults()})},
  };
}

inline std::vector<Fault> all_faults() {
  std::vector<std::vector<Fault>> lists;
  for (const FaultGroup& group : fault_groups()) {
    lists.push_back(group.faults);
  }
  return joined(lists);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
