#include "core/gradcheck/manners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// The first of two lists' tensors that differ, or -1.
Index first_change(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!same_bits(a[k], b[k])) {
      return static_cast<Index>(k);
    }
  }
  return -1;
}

// A run whose inputs are parameters: their gradients go to `memory`, which holds some already where
// `written` says so.
Run run_into(const Subject& subject, const std::vector<Tensor>& memory, bool written) {
  const auto flags = std::make_unique<bool[]>(memory.size());
  std::fill_n(flags.get(), memory.size(), written);
  Run result = run(subject, [&](Tape& tape, std::size_t k) {
    return tape.parameter(subject.inputs[k], {.memory = memory[k], .written = &flags[k]});
  });
  for (std::size_t k = 0; k < memory.size(); ++k) {
    result.gradients[k] = flags[k] ? memory[k] : Tensor::zeros(memory[k].shape());
  }
  return result;
}

}  // namespace

std::string check_purity(const Subject& subject, Run& first) {
  const std::vector<Tensor> inputs = copies(subject.inputs);
  const Tensor cotangent = subject.cotangent.copy();
  const Tensor plain = subject.value(subject.inputs).copy();
  if (const Index k = first_change(inputs, subject.inputs); k >= 0) {
    return fmt::format("the forward pass changes input {}", k);
  }
  first = run(subject);
  if (const Index k = first_change(inputs, subject.inputs); k >= 0) {
    return fmt::format("the backward pass changes input {}", k);
  }
  if (!same_bits(cotangent, subject.cotangent)) {
    return "the backward pass changes the gradient of its output, which others may hold";
  }
  if (!same_bits(plain, first.output)) {
    return "the output has other bits after the backward pass than without recording";
  }
  const std::vector<Tensor> gradients = copies(first.gradients);
  const Run second = run(subject);
  if (!same_bits(plain, second.output)) {
    return "a second run gives an output with other bits";
  }
  if (const Index k = first_change(gradients, second.gradients); k >= 0) {
    return fmt::format("a second run gives input {} a gradient with other bits", k);
  }
  return {};
}

std::string check_accumulation(const Subject& subject, const Run& first) {
  std::vector<Tensor> fresh;
  std::vector<Tensor> earlier;
  for (const Tensor& input : subject.inputs) {
    fresh.push_back(Tensor::full(input.shape(), std::numeric_limits<Scalar>::quiet_NaN()));
    earlier.push_back(uneven(input.shape(), subject.options.seed + earlier.size() + 1));
  }
  const std::vector<Tensor> before = copies(earlier);
  const Run written = run_into(subject, fresh, false);
  const Run added = run_into(subject, earlier, true);
  for (std::size_t k = 0; k < subject.inputs.size(); ++k) {
    const Shape& shape = subject.inputs[k].shape();
    if (const Index i = first_difference(first.gradients[k], written.gradients[k]); i >= 0) {
      return fmt::format("the gradient of {} depends on what its memory held before: {} for {}",
                         name_of(k, i, shape), written.gradients[k].data()[i],
                         first.gradients[k].data()[i]);
    }
    Tensor sum = before[k].copy();
    for (Index i = 0; i < sum.size(); ++i) {
      sum.data()[i] += first.gradients[k].data()[i];
    }
    if (const Index i = first_difference(sum, added.gradients[k]); i >= 0) {
      return fmt::format("the gradient of {} does not add to what is there: {} and {} made {}",
                         name_of(k, i, shape), before[k].data()[i], first.gradients[k].data()[i],
                         added.gradients[k].data()[i]);
    }
  }
  return {};
}

std::string check_constants(const Subject& subject, const Run& first) {
  for (std::size_t constant = 0; constant < subject.inputs.size(); ++constant) {
    const Run other = run(subject, [&](Tape& tape, std::size_t k) {
      return k == constant ? tape.constant(subject.inputs[k]) : tape.variable(subject.inputs[k]);
    });
    for (std::size_t k = 0; k < subject.inputs.size(); ++k) {
      if (k == constant) {
        continue;
      }
      if (const Index i = first_difference(first.gradients[k], other.gradients[k]); i >= 0) {
        return fmt::format("the gradient of {} is {}, but {} where input {} needs none",
                           name_of(k, i, first.gradients[k].shape()), first.gradients[k].data()[i],
                           other.gradients[k].data()[i], constant);
      }
    }
  }
  return {};
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
