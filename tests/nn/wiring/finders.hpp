// The two finders of wiring faults: gradcheck_model and the comparison with PyTorch.
#pragma once

#include <fnmatch.h>

#include "core/gradcheck/model/model.hpp"
#include "tests/nn/wiring/right_models.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

// A key's bias shifts all scores of a query alike: its gradient is 0, even with most faults.
inline bool is_key_bias(const std::string& name) { return name.ends_with("key.bias"); }

// The verdict on each parameter that is not correct.
using Said = std::map<std::string, std::string>;

inline std::string said_of(const Finding& finding) {
  return finding.verdict == Verdict::wrong && finding.kind == WrongKind::no_gradient
             ? "no gradient"
             : std::string(name_of(finding.verdict));
}

inline Said said_by(const ModelGradcheckReport& report) {
  Said said;
  for (const Finding& finding : report.findings) {
    said.emplace(finding.subject, said_of(finding));
  }
  for (const ParameterCheck& parameter : report.parameters) {
    if (parameter.finding.verdict != Verdict::correct) {
      said.emplace(parameter.name, said_of(parameter.finding));
    }
  }
  return said;
}

inline ModelGradcheckReport gradcheck_of(WiredModel& model) {
  const LossAndGradients loss = [&model](ParameterGradients* gradients) {
    return loss_of(model, gradients);
  };
  return gradcheck_model(model.store, loss, {.elements = 16});
}

// The parameters that match a pattern.
inline std::set<std::string> matching(const WiredModel& model, const Names& patterns) {
  std::set<std::string> names;
  for (const NamedParameter& parameter : model.store.parameters()) {
    if (std::ranges::any_of(patterns, [&](const std::string& pattern) {
          return fnmatch(pattern.c_str(), parameter.name.c_str(), 0) == 0;
        })) {
      names.insert(parameter.name);
    }
  }
  return names;
}

inline Said to_be_said(const WiredModel& model, const Named& named) {
  Said said;
  for (const auto& [patterns, what] :
       {std::pair(named.no_gradient, "no gradient"), std::pair(named.wrong, "wrong"),
        std::pair(named.unused, "unused input")}) {
    for (const std::string& name : matching(model, patterns)) {
      said.emplace(name, what);
    }
  }
  return said;
}

// Removes key biases whose naming is optional: those in `expected`, unless expected as unused.
inline Said without_key_biases(Said said, const Said& expected) {
  std::erase_if(said, [&](const auto& one) {
    return is_key_bias(one.first) && expected.contains(one.first) &&
           expected.at(one.first) != "unused input";
  });
  return said;
}

// The parameters whose gradients differ from the reference by more than rounding; also "loss".
inline std::set<std::string> off_reference(const Computed& found, const Computed& reference) {
  std::set<std::string> names;
  if (std::abs(found.loss - reference.loss) > pytorch_share * std::abs(reference.loss)) {
    names.insert("loss");
  }
  for (const auto& [name, gradient] : found.gradients) {
    const Tensor& right = reference.gradients.at(name);
    const double tolerance = pytorch_share * (is_key_bias(name) ? 1 : largest_of(right));
    const auto near = [&](Scalar a, Scalar b) { return std::abs(a - b) <= tolerance; };
    if (!std::ranges::equal(gradient.values(), right.values(), near)) {
      names.insert(name);
    }
  }
  return names;
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
