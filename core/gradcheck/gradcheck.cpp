#include "core/gradcheck/gradcheck.hpp"

#include <fmt/format.h>

#include "core/gradcheck/derivatives.hpp"
#include "core/gradcheck/manners.hpp"
#include "core/gradcheck/subject.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

std::string find_wrong(const Subject& subject) {
  Run first;
  std::string wrong = check_purity(subject, first);
  if (wrong.empty()) {
    wrong = check_derivatives(subject, first);
  }
  if (wrong.empty()) {
    wrong = check_accumulation(subject, first);
  }
  if (wrong.empty()) {
    wrong = check_constants(subject, first);
  }
  return wrong;
}

}  // namespace

GradcheckReport gradcheck(const GradcheckFunction& function, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options) {
  if constexpr (sizeof(Scalar) < sizeof(double)) {
    return {.ok = false,
            .message = "gradcheck needs double precision: link the double build of the library"};
  }
  Tape tape;
  std::vector<Var> leaves;
  leaves.reserve(inputs.size());
  for (const Tensor& input : inputs) {
    leaves.push_back(tape.variable(input.copy()));
  }
  const Var output = function(tape, leaves);
  if (!output.needs_gradient()) {
    return {.ok = false, .message = "the output is a constant: no gradient can reach any input"};
  }
  const std::string wrong = find_wrong({.function = function,
                                        .inputs = inputs,
                                        .options = options,
                                        .cotangent = uneven(output.shape(), options.seed)});
  return {.ok = wrong.empty(),
          .message = wrong.empty() ? "" : fmt::format("{}: {}", tape.op(output), wrong)};
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
