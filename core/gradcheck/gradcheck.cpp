#include "core/gradcheck/gradcheck.hpp"

#include "core/gradcheck/checks.hpp"
#include "core/memory/pool.hpp"
#include "core/text.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// While it exists, fresh memory is filled with NaN, so that elements that are never written show.
// The anomaly check is off: a NaN gets a verdict instead.
class CheckerSwitches {
 public:
  CheckerSwitches() : before_(std::exchange(checks(), {.poison = true, .finite = false})) {}
  ~CheckerSwitches() { checks() = before_; }
  CheckerSwitches(const CheckerSwitches&) = delete;
  CheckerSwitches& operator=(const CheckerSwitches&) = delete;

 private:
  Checks before_;
};

using Findings = std::vector<Finding>;

Findings find_wrong(const Subject& subject) {
  // Runs on copies, because a function may change its inputs, and a later check must see that.
  if (const Index i = first_not_finite(subject.value(copies(subject.inputs))); i >= 0) {
    return {subject.found(Verdict::not_finite,
                          fmt::format("element {} of the output is not finite", i))};
  }
  Run first;
  if (auto finding = check_purity(subject, first)) {
    return {*finding};
  }
  const GradientRounding rounding(subject, first);
  std::vector<bool> arrived;
  if (auto finding = check_accumulation(subject, first, rounding, arrived)) {
    return {*finding};
  }
  if (Findings findings = check_derivatives(subject, {first, rounding, arrived});
      !findings.empty()) {
    return findings;
  }
  for (const auto check : {check_linearity, check_constants}) {
    if (auto finding = check(subject, first, rounding)) {
      return {*finding};
    }
  }
  for (const auto probe : {probe_same_input, probe_sizes, probe_far_values}) {
    if (auto finding = subject.options.probes ? probe(subject) : std::nullopt) {
      return {*finding};
    }
  }
  return {};
}

// Runs the action; an exception becomes a finding.
template <class Action>
Findings told(const std::string& op, Verdict for_shapes, const Action& action) {
  try {
    return action();
  } catch (...) {
    return {thrown_by(op, for_shapes)};
  }
}

Findings check(const GradcheckFunction& function, const std::vector<Tensor>& inputs,
               const GradcheckOptions& options, const std::string& probe) {
  std::string op = "the function";
  Tensor cotangent;
  Findings findings = told(op, Verdict::failed, [&]() -> Findings {
    Tape tape;
    std::vector<Var> leaves;
    for (const Tensor& input : inputs) {
      leaves.push_back(tape.variable(input.copy()));
    }
    const Index before = tape.nodes();
    const Var output = function(tape, leaves);
    op = tape.op(output);
    op = tape.nodes() - before > 1 ? fmt::format("the function (its last op: {})", op) : op;
    cotangent = uneven(output.shape(), options.seed);
    return {};
  });
  if (findings.empty()) {
    const std::vector<Tensor> own = copies(inputs);
    findings = told(op, Verdict::wrong_shape, [&] {
      return find_wrong({.function = function,
                         .inputs = own,
                         .options = options,
                         .cotangent = cotangent,
                         .op = op,
                         .probe = probe});
    });
  }
  for (Finding& finding : findings) {
    finding.probe = finding.probe.empty() ? probe : finding.probe;
  }
  return findings;
}

// Ways to cut rows into segments, from simple to unusual.
std::vector<std::vector<Index>> cuts(Index rows) {
  std::vector<std::vector<Index>> result{{rows}};
  if (rows > 1) {
    result.push_back({1, rows - 1});
    result.emplace_back(static_cast<std::size_t>(rows), 1);
  }
  if (rows > 3) {
    result.push_back({rows - 3, 1, 2});
  }
  result.push_back({0, rows, 0});
  return result;
}

}  // namespace

GradcheckReport gradcheck(const GradcheckFunction& function, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options) {
  const CheckerSwitches switches;
  return {.findings = check(function, inputs, options, "")};
}

GradcheckReport gradcheck(const SegmentedFunction& function, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options) {
  const CheckerSwitches switches;
  const Index rows = inputs.empty() || inputs.front().shape().rank() == 0 ? 0 : inputs[0].dim(0);
  for (const std::vector<Index>& lengths : cuts(rows)) {
    const Segments segments = segments_of(lengths);
    const GradcheckFunction whole = [&](Tape& tape, const std::vector<Var>& leaves) {
      if (!leaves.empty() && leaves[0].shape()[0] != rows) {
        throw ShapeError("the segments are those of all rows");  // no probe with fewer rows
      }
      return function(tape, leaves, segments);
    };
    Findings findings =
        check(whole, inputs, options, fmt::format("with segments of {} rows", listed(lengths)));
    if (!findings.empty()) {
      return {.findings = std::move(findings)};
    }
  }
  return {};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
