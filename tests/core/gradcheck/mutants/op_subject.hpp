// An op ready to be checked: a function of its inputs alone, and inputs by seed.
#pragma once

#include <ostream>

#include "core/random/keep_bits.hpp"
#include "tests/core/gradcheck/mutants/planting.hpp"
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
  std::function<void(Tensors&)> adjust = [](Tensors&) {};

  friend std::ostream& operator<<(std::ostream& out, const OpSubject& subject) {
    return out << subject.name;
  }
};

// Uniform numbers in -1 ... 1, different for each seed and input; then adjusted.
inline Tensors inputs_of(const OpSubject& subject, std::uint64_t seed) {
  Tensors inputs;
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
    return [function](Tape&, const Vars& x) {
      return [&]<std::size_t... I>(std::index_sequence<I...> /*each*/) {
        return function(x[I]...);
      }(std::make_index_sequence<count>());
    };
  };
}

// An op with a dropout, which the seed draws.
using DroppedOp = std::function<Var(const Vars& x, const Dropout& dropout)>;

inline auto with_dropout(const DroppedOp& op, double probability = 0.4) {
  return [op, probability](std::uint64_t seed) -> GradcheckFunction {
    return [op, drop = subject_dropout(seed, probability)](Tape&, const Vars& x) {
      return op(x, drop);
    };
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
