// Gradient checks as expectations: `expect_gradcheck(multiply, random_tensor({3, 5}, 1), ...)`.
#pragma once

#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/gradcheck/gradcheck.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// Calls a function of as many Vars as there are inputs.
template <class Function, std::size_t... Input>
Var call_with(const Function& function, const std::vector<Var>& inputs,
              std::index_sequence<Input...> /*each*/) {
  return function(inputs[Input]...);
}

// The function takes one Var for each input, or, as gradcheck's does, (Tape&, const
// std::vector<Var>&). Every failure names the op, the input and the element.
template <class Function, std::same_as<Tensor>... Input>
void expect_gradcheck(const GradcheckOptions& options, const Function& function,
                      const Input&... inputs) {
  const auto whole = [&function](Tape& tape, const std::vector<Var>& leaves) {
    if constexpr (std::is_invocable_v<Function, Tape&, const std::vector<Var>&>) {
      return function(tape, leaves);
    } else {
      static_cast<void>(tape);
      return call_with(function, leaves, std::index_sequence_for<Input...>());
    }
  };
  const GradcheckReport report = gradcheck(whole, {inputs...}, options);
  EXPECT_TRUE(report.ok) << report.message;
}

template <class Function, std::same_as<Tensor>... Input>
  requires(!std::same_as<Function, GradcheckOptions>)
void expect_gradcheck(const Function& function, const Input&... inputs) {
  expect_gradcheck(GradcheckOptions{}, function, inputs...);
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
