// The result of a gradient check: a verdict, its evidence, and a hint where to look.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

enum class Verdict {
  correct,
  wrong,                 // backward is not the derivative of forward: see WrongKind
  kink_nearby,           // forward has no derivative at this point
  too_little_precision,  // the differences are too uncertain for a verdict
  cannot_tell,           // the outputs are so large that rounding hides every slope
  nondeterministic,      // the same inputs give different numbers
  unused_input,          // the output does not depend on an input
  not_accumulated,       // a gradient overwrites memory instead of adding to it
  input_overwritten,     // a pass writes to memory that it does not own
  not_finite,            // a value or gradient is infinite or NaN
  not_written,           // elements of a gradient are never written
  wrong_shape,           // a value or gradient does not have the expected shape
  failed                 // the function threw
};

// How the wrong gradient differs from the right gradient, if the numbers show it.
enum class WrongKind {
  none,
  sign,               // the negative gradient
  factor,             // a constant multiple of the gradient
  no_gradient,        // no gradient arrives, or zeros
  transposed,         // rows and columns exchanged
  one_element,        // one element is wrong
  some_rows,          // some rows are wrong
  some_columns,       // some columns are wrong
  rows_exchanged,     // rows hold values of other rows
  too_many,           // elements that the output does not depend on get a gradient
  not_summed,         // one row's share instead of a sum over rows
  cotangent_ignored,  // the sum of the output's derivatives: dL/dy is ignored
  term                // any other: a term is missing or wrong
};

std::string_view name_of(Verdict verdict);
std::string_view name_of(WrongKind kind);

// A finding about one input or about the whole function.
struct Finding {
  Verdict verdict = Verdict::correct;
  WrongKind kind = WrongKind::none;
  std::string subject{};     // the name of an op or a parameter
  std::string element{};     // "input 1 [2, 4] of (3, 7)"; empty: the whole
  std::string probe{};       // how a probe changed the inputs; empty: no probe
  bool compared = false;     // whether the next four members are valid
  double analytic = 0;       // the result of backward
  double numeric = 0;        // the finite difference
  double numeric_error = 0;  // its estimated error
  std::string extent{};      // "21 of 21 elements differ"
  std::string hint{};        // what the mistake looks like, and where to look

  void compare(double backward, double difference, double error) {
    compared = true;
    analytic = backward;
    numeric = difference;
    numeric_error = error;
  }
};

// A factor with some digits, or as "1 + 3e-06" if it would round to 1.
std::string factor_text(double factor, int digits = 6);

// The finding as a few lines of text.
std::string describe(const Finding& finding);

struct GradcheckReport {
  bool ok() const { return findings.empty(); }
  std::string message() const;  // all findings; empty if ok

  std::vector<Finding> findings;  // at most one for each input
};

}  // namespace tapehead
