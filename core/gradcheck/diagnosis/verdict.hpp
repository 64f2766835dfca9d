// What a gradient check has to say: a verdict, what it rests on, and what to look at next.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tapehead {

enum class Verdict {
  correct,
  wrong,                 // backward is not the derivative of forward: see WrongKind
  kink_nearby,           // forward has no derivative here to compare with
  too_little_precision,  // the differences are too uncertain to tell
  nondeterministic,      // the same inputs give other numbers
  unused_input,          // the output does not depend on an input
  not_accumulated,       // a gradient overwrites what it should add to
  input_overwritten,     // a pass writes into what is not its own
  not_finite,            // a value or gradient is infinite or NaN
  not_written,           // elements of a gradient are left as memory was
  wrong_shape,           // a value or gradient has another shape than promised
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

// One thing found, about one input, or about the function as a whole.
struct Finding {
  Verdict verdict = Verdict::correct;
  WrongKind kind = WrongKind::none;
  std::string subject{};     // the op's name, or a parameter's
  std::string element{};     // "input 1 [2, 4] of (3, 7)"; empty when it is about the whole
  std::string probe{};       // how the inputs were varied when it was found; empty: they were not
  bool compared = false;     // whether the next four mean anything
  double analytic = 0;       // what backward gives
  double numeric = 0;        // what differences give
  double numeric_error = 0;  // how far that may be off, by its own estimate
  std::string extent{};      // "21 of 21 elements differ"
  std::string hint{};        // what it looks like, and what to look at
};

// A few lines for a person.
std::string describe(const Finding& finding);

struct GradcheckReport {
  bool ok() const { return findings.empty(); }
  std::string message() const;  // the findings one after the other; empty when ok

  std::vector<Finding> findings;  // at most one for each input
};

}  // namespace tapehead
