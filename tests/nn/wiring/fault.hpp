// A fault of the wiring, and what has to be said about it.
#pragma once

#include "tests/nn/wiring/model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

// The right model that a fault is planted in. `tied`: target embedding and output are one
// parameter; `shared`: the encoder's two layers are one; `dropout`: some after each block. The last
// three are pre-norm.
enum class Base { pre_norm, post_norm, tied, shared, dropout };

// Patterns of parameter names, as fnmatch takes them.
using Names = std::vector<std::string>;

// What gradcheck_model has to name: every parameter that matches, and no other.
struct Named {
  Names no_gradient{};  // the loss depends on it, and no gradient arrives
  Names wrong{};        // another gradient arrives
  Names unused{};       // the loss does not depend on it
};

struct Fault {
  std::string name;  // of its test
  std::string what;  // for the table
  Base base = Base::pre_norm;
  std::function<void(WiredModel& model)> plant{};
  Named named{};  // nothing: gradcheck_model has to be silent
  Names off{
      "loss"};  // the reference: the loss (and then gradients too), or gradients of these alone
};

// Such as leave the loss as it is: gradcheck_model and the reference must agree on the parameters.
inline std::vector<Fault> of_gradients(std::vector<Fault> faults) {
  for (Fault& fault : faults) {
    fault.off = fault.named.no_gradient;
    fault.off.insert(fault.off.end(), fault.named.wrong.begin(), fault.named.wrong.end());
  }
  return faults;
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
