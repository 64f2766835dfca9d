// The result of a gradient check: a verdict, its evidence, and a hint where to look.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

enum class Verdict {
  correct,
  wrong,                 // backward is not the derivative of forward: see WrongKind
  kink_nearby,           // forward has no derivative at this point
  too_little_precision,  // the differences are too uncertain to tell
  cannot_tell,           // the outputs are so large that their rounding hides every slope
  nondeterministic,      // the same inputs give different numbers
  unused_input,          // the output does not depend on an input
  not_accumulated,       // a gradient overwrites what it should add to
  input_overwritten,     // a pass writes to memory that it does not own
  not_finite,            // a value or gradient is infinite or NaN
  not_written,           // elements of a gradient are never written
  wrong_shape,           // a value or gradient has another shape than expected
  failed                 // the function threw
};

// How the wrong gradient differs from the right one, where its numbers show it.
enum class WrongKind {
  none,
  sign,               // its negative
  factor,             // a constant multiple
  no_gradient,        // nothing arrives, or zeros
  transposed,         // rows and columns exchanged
  one_element,        // right but for one element
  some_rows,          // right but for some rows
  some_columns,       // right but for some columns
  rows_exchanged,     // rows that belong elsewhere
  too_many,           // elements that the output does not depend on get a gradient
  not_summed,         // one row's share, where a sum over rows belongs
  cotangent_ignored,  // the sum of the output's derivatives: dL/dy is left out
  term                // none of these: a term is missing or wrong
};

std::string_view name_of(Verdict verdict);
std::string_view name_of(WrongKind kind);

// One finding, about one input or about the function as a whole.
struct Finding {
  Verdict verdict = Verdict::correct;
  WrongKind kind = WrongKind::none;
  std::string subject{};     // the op's name, or a parameter's
  std::string element{};     // "input 1 [2, 4] of (3, 7)"; empty when it is about the whole
  std::string probe{};       // how a probe changed the inputs; empty: not at all
  bool compared = false;     // whether the next four members are valid
  double analytic = 0;       // what backward gives
  double numeric = 0;        // the finite difference
  double numeric_error = 0;  // its estimated error
  std::string extent{};      // "21 of 21 elements differ"
  std::string hint{};        // what the mistake looks like, and where to look
};

// A factor in some digits, or as "1 + 3e-06" if these would show only the 1.
std::string factor_text(double factor, int digits = 6);

// The finding as a few lines of text.
std::string describe(const Finding& finding);

struct GradcheckReport {
  bool ok() const { return findings.empty(); }
  std::string message() const;  // the findings one after the other; empty when ok

  std::vector<Finding> findings;  // at most one for each input
};

}  // namespace tapehead
