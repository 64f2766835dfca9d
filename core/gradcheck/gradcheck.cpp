#include "core/gradcheck/gradcheck.hpp"

#include "core/gradcheck/checks.hpp"
#include "core/memory/pool.hpp"
#include "core/text.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Fresh memory is filled with NaN, so that elements that are never written show. The anomaly check
// is off: a NaN gets a verdict instead.
constexpr Checks while_checking{.poison = true, .finite = false};

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
  const CheckedRun checked(subject, std::move(first));
  std::vector<bool> arrived;
  if (auto finding = check_accumulation(checked, arrived)) {
    return {*finding};
  }
  if (Findings findings = check_derivatives(checked, arrived); !findings.empty()) {
    return findings;
  }
  for (const auto check : {check_linearity, check_constants}) {
    if (auto finding = check(checked)) {
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

// Sets op and cotangent by a run on copies of the inputs.
void look_at_output(Subject& subject) {
  Tape tape;
  const std::vector<Var> leaves =
      mapped(subject.inputs, [&](const Tensor& input) { return tape.variable(input.copy()); });
  const Index before = tape.nodes();
  const Var output = subject.function(tape, leaves);
  const bool one = tape.nodes() - before <= 1;
  subject.op =
      one ? tape.op(output) : fmt::format("the function (its last op: {})", tape.op(output));
  subject.cotangent = uneven(output.shape(), subject.options.seed);
}

Findings check(const GradcheckFunction& function, const std::vector<Tensor>& inputs,
               const GradcheckOptions& options, const std::string& probe) {
  Subject subject{
      .function = function, .inputs = copies(inputs), .options = options, .probe = probe};
  Verdict for_shapes = Verdict::failed;
  try {
    look_at_output(subject);
    for_shapes = Verdict::wrong_shape;
    return find_wrong(subject);
  } catch (...) {
    return {subject.thrown(for_shapes)};
  }
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
  const ChecksGuard switches(while_checking);
  return {.findings = check(function, inputs, options, "")};
}

GradcheckReport gradcheck(const SegmentedFunction& function, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options) {
  const ChecksGuard switches(while_checking);
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
