// Gradient checks as GoogleTest assertions: `EXPECT_GRADCHECK(gated, random(7, 5), random(7, 5));`.
// For targets linked with tapehead::double.
#pragma once

#include <gtest/gtest.h>

#include "core/gradcheck/gradcheck.hpp"
#include "core/gradcheck/subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace gradcheck_assertion {

// Calls a function with as many Vars as there are inputs, followed by the other arguments.
template <class Function, std::size_t... Input, class... Rest>
Var call_with(const Function& function, const std::vector<Var>& inputs,
              std::index_sequence<Input...> /*each*/, const Rest&... rest) {
  return function(inputs[Input]..., rest...);
}

template <class Input>
concept TensorOrRandom = std::same_as<Input, Tensor> || std::same_as<Input, RandomInput>;

template <TensorOrRandom... Input>
std::vector<Tensor> all_drawn(const Input&... inputs) {
  std::size_t k = 0;
  return {drawn(inputs, k++)...};  // braces guarantee this order
}

template <class Function, class... Input>
GradcheckReport report_of(const GradcheckOptions& options, const Function& function,
                          const Input&... inputs) {
  static_assert((TensorOrRandom<Input> && ...),
                "an input is a Tensor or random(extents...); give other arguments in a lambda: "
                "EXPECT_GRADCHECK([](const Var& x) { return scaled(x, 2.0); }, random(7, 5))");
  constexpr auto each = std::index_sequence_for<Input...>();
  const std::vector<Tensor> tensors = all_drawn(inputs...);
  if constexpr (std::is_invocable_v<Function, Tape&, const std::vector<Var>&>) {
    return gradcheck(GradcheckFunction(function), tensors, options);
  } else if constexpr (std::is_invocable_v<
                           Function, decltype(std::declval<Input>(), std::declval<const Var&>())...,
                           const Segments&>) {
    return gradcheck(
        SegmentedFunction([&](Tape&, const std::vector<Var>& leaves, const Segments& segments) {
          return call_with(function, leaves, each, segments);
        }),
        tensors, options);
  } else {
    return gradcheck(GradcheckFunction([&](Tape&, const std::vector<Var>& leaves) {
                       return call_with(function, leaves, each);
                     }),
                     tensors, options);
  }
}

template <class Function, class... Input>
  requires(!std::same_as<Function, GradcheckOptions>)
GradcheckReport report_of(const Function& function, const Input&... inputs) {
  return report_of(GradcheckOptions{}, function, inputs...);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::gradcheck_assertion

// EXPECT_GRADCHECK(function, inputs...) or EXPECT_GRADCHECK(options, function, inputs...). The
// function takes one Var for each input, and may take `const Segments&` after them; or it takes
// (Tape&, const std::vector<Var>&), as for gradcheck. An input is a Tensor, or random(extents...).
#define EXPECT_GRADCHECK(...) TAPEHEAD_GRADCHECK_OR(ADD_FAILURE(), __VA_ARGS__)
#define ASSERT_GRADCHECK(...) TAPEHEAD_GRADCHECK_OR(GTEST_FAIL(), __VA_ARGS__)

#define TAPEHEAD_GRADCHECK_OR(fail, ...)                           \
  GTEST_AMBIGUOUS_ELSE_BLOCKER_                                    \
  if (const ::tapehead::GradcheckReport tapehead_report =          \
          ::tapehead::gradcheck_assertion::report_of(__VA_ARGS__); \
      tapehead_report.ok()) {                                      \
  } else                                                           \
    fail << "the gradient check fails\n" << tapehead_report.message()
