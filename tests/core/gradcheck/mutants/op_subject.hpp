// An op ready to be checked: a function of its inputs alone, and inputs by seed.
#pragma once

#include <ostream>

#include "core/gradcheck/gradcheck.hpp"
#include "core/random/keep_bits.hpp"
#include "tests/support/random_tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct OpInput {
  std::string name;
  Shape shape;
  bool shared = false;  // used by many output rows: its gradient is a sum over them
};

struct OpSubject {
  std::string name;  // op and variant
  std::vector<OpInput> inputs;
  std::function<GradcheckFunction(std::uint64_t seed)> function;
  // Moves inputs to where the op is defined and has no kink.
  std::function<void(std::vector<Tensor>&)> adjust = [](std::vector<Tensor>&) {};

  friend std::ostream& operator<<(std::ostream& out, const OpSubject& subject) {
    return out << subject.name;
  }
};

// Uniform numbers in -1 ... 1, different for each seed and input; then adjusted.
inline std::vector<Tensor> inputs_of(const OpSubject& subject, std::uint64_t seed) {
  std::vector<Tensor> inputs;
  for (const OpInput& input : subject.inputs) {
    inputs.push_back(random_tensor(input.shape, 16 * seed + inputs.size()));
  }
  subject.adjust(inputs);
  return inputs;
}

// The dropout for checking an op with this seed.
inline Dropout subject_dropout(std::uint64_t seed, double probability = 0.4) {
  return {.probability = probability, .draws = Draws(seed, "tests.gradcheck", 1)};
}

// Wraps a function of `count` Vars as a function of a vector of Vars; ignores the seed.
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
