// An op of ours, ready to be checked: a function of its inputs alone, and inputs by seed.
#pragma once

#include <ostream>

#include "core/gradcheck/gradcheck.hpp"
#include "core/random/keep_bits.hpp"
#include "tests/support/random_tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct OpInput {
  std::string name;
  Shape shape;
  bool shared = false;  // serves many rows of the output: its gradient is a sum over them
};

struct OpSubject {
  std::string name;  // the op's, and which of its variants
  std::vector<OpInput> inputs;
  std::function<GradcheckFunction(std::uint64_t seed)> function;
  // Moves inputs to where the op is defined and has no kink.
  std::function<void(std::vector<Tensor>&)> adjust = [](std::vector<Tensor>&) {};

  friend std::ostream& operator<<(std::ostream& out, const OpSubject& subject) {
    return out << subject.name;
  }
};

// Numbers of -1 ... 1, other ones for each seed and input.
inline std::vector<Tensor> inputs_of(const OpSubject& subject, std::uint64_t seed) {
  std::vector<Tensor> inputs;
  for (const OpInput& input : subject.inputs) {
    inputs.push_back(random_tensor(input.shape, 16 * seed + inputs.size()));
  }
  subject.adjust(inputs);
  return inputs;
}

// The dropout of an op that is checked with this seed.
inline Dropout subject_dropout(std::uint64_t seed, double probability = 0.4) {
  return {.probability = probability, .draws = Draws(seed, "tests.gradcheck", 1)};
}

// A function of `count` Vars as a function of a list of them, the same one for every seed.
template <std::size_t count, class Function>
auto of_vars(Function function) {
  return [function](std::uint64_t /*seed*/) -> GradcheckFunction {
    return [function](Tape&, const std::vector<Var>& x) {
      return [&]<std::size_t... I>(std::index_sequence<I...> /*each*/) {
        return function(x[I]...);
      }(std::make_index_sequence<count>());
    };
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
