// A wiring fault, and the expected findings.
#pragma once

#include "tests/nn/wiring/model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

// The correct model that a fault is planted in. `tied`: target embedding and output are one
// parameter; `shared`: both encoder layers are one; `dropout`: dropout after each block. The last
// three are pre-norm.
enum class Base { pre_norm, post_norm, tied, shared, dropout };

// Patterns of parameter names for fnmatch.
using Names = std::vector<std::string>;

// gradcheck_model must name exactly the parameters that match these patterns.
struct Named {
  Names no_gradient{};  // the loss depends on it, but no gradient arrives
  Names wrong{};        // a wrong gradient arrives
  Names unused{};       // the loss does not depend on it
};

struct Fault {
  std::string name;  // of the test
  std::string what;  // for the table
  Base base = Base::pre_norm;
  std::function<void(WiredModel& model)> plant{};
  Named named{};  // if empty, gradcheck_model must find nothing
  Names off{
      "loss"};  // differs from the reference: the loss (then gradients may too), or these gradients
};

// Faults with the correct loss: gradcheck_model and the reference name the same parameters.
inline std::vector<Fault> of_gradients(std::vector<Fault> faults) {
  for (Fault& fault : faults) {
    fault.off = fault.named.no_gradient;
    fault.off.insert(fault.off.end(), fault.named.wrong.begin(), fault.named.wrong.end());
  }
  return faults;
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
