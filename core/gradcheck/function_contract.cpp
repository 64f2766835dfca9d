// Checks what a function must fulfil besides correct slopes: equal bits when it repeats, no writing
// to memory of others, gradients that are accumulated, and linearity in the cotangent.

#include "core/gradcheck/checks.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// A finding about the first element whose bits changed. The tensors belong to the inputs.
std::optional<Finding> find_change(const Subject& subject, const std::vector<Tensor>& before,
                                   const std::vector<Tensor>& now, Verdict verdict,
                                   const std::string& hint) {
  for (std::size_t k = 0; k < before.size(); ++k) {
    const Tensor& a = before[k];
    const Tensor& b = now[k];
    if (!same_bits(a, b)) {
      const auto changed = [&](Index i) {
        return a.data()[i] != b.data()[i] && !std::isnan(a.data()[i]);
      };
      return subject.found(verdict, k, first_where(a.size(), changed), hint);
    }
  }
  return {};
}

// A run whose inputs are parameters, with their gradients in `memory`. `written`: whether `memory`
// already holds gradients.
Run run_into(const Subject& subject, const std::vector<Tensor>& memory, bool written,
             std::vector<bool>* arrived = nullptr) {
  const auto flags = std::make_unique<bool[]>(memory.size());
  std::fill_n(flags.get(), memory.size(), written);
  Run result = run(subject, [&](Tape& tape, std::size_t k) {
    return tape.parameter(subject.inputs[k], {.memory = memory[k], .written = &flags[k]});
  });
  if (arrived != nullptr) {
    arrived->assign(flags.get(), flags.get() + memory.size());
  }
  return result;
}

// Memory with numbers of the size of the expected gradients, so that neither hides the other in a
// sum. Each `salt` gives different numbers.
std::vector<Tensor> used_memory(const CheckedRun& first, std::uint64_t salt) {
  std::vector<Tensor> memory;
  for (const Tensor& gradient : first.run.gradients) {
    const auto number = [largest = magnitude(gradient)](Scalar part, Scalar expected) {
      const double size = std::abs(expected);
      return part * (size > 0 && std::isfinite(size) ? size : largest);
    };
    const std::uint64_t seed = first.subject.options.seed + salt + memory.size();
    memory.push_back(by_element(number, uneven(gradient.shape(), seed), gradient));
  }
  return memory;
}

std::optional<Finding> check_repetition(const Subject& subject, const Tensor& plain,
                                        const Run& first) {
  const std::vector<Tensor> gradients = copies(first.gradients);
  const Run second = run(subject);
  if (same_bits(first.forward, second.forward) && !same_bits(plain, first.forward) &&
      same_bits(plain, subject.value(subject.inputs))) {
    return subject.found(Verdict::nondeterministic,
                         "the output differs when the tape does not record, as in an evaluation: "
                         "the numbers must not depend on Tape::recording()");
  }
  if (!same_bits(plain, first.forward) || !same_bits(plain, second.forward)) {
    return subject.found(
        Verdict::nondeterministic,
        "a second run on the same inputs gives different bits of output: does the op use a clock, "
        "an address, threads, or a random generator with its own state?");
  }
  return find_change(subject, gradients, second.gradients, Verdict::nondeterministic,
                     "a second backward pass, on a new tape, gives different bits: does the op "
                     "keep a state between runs, or read memory that was never written?");
}

std::optional<Finding> check_writing(const CheckedRun& first, std::vector<bool>& arrived) {
  const Subject& subject = first.subject;
  const std::vector<Tensor> one = used_memory(first, 1000);
  const std::vector<Tensor> other = used_memory(first, 2000);
  const std::vector<Tensor> one_before = copies(one);
  const std::vector<Tensor> other_before = copies(other);
  const Run into_one = run_into(subject, one, false, &arrived);
  run_into(subject, other, false);
  for (std::size_t k = 0; k < subject.inputs.size(); ++k) {
    if (!arrived[k]) {
      continue;
    }
    const auto untouched = [&](Index i) {
      return one[k].data()[i] == one_before[k].data()[i] &&
             other[k].data()[i] == other_before[k].data()[i];
    };
    if (const Index i = first_where(one[k].size(), untouched); i >= 0) {
      return subject.found(Verdict::not_written, k, i,
                           "backward does not write this element of the gradient: if `accumulate` "
                           "is false, it must write every element");
    }
    const Tensor& gradient = first.run.gradients[k];
    if (const Index i = first.first_difference(gradient, into_one.gradients[k], {k}); i >= 0) {
      return subject.found(
          Verdict::not_written, k, i,
          fmt::format("the gradient depends on what its memory held before ({:.6g} or {:.6g}): "
                      "backward adds although `accumulate` is false",
                      gradient.data()[i], into_one.gradients[k].data()[i]));
    }
  }
  return {};
}

// Whether an element is in the first of the two parts of the output. Some rows belong to one part
// as a whole; in the other rows, the elements belong to both parts in turn.
bool in_first_part(Index element, const Shape& output) {
  const Index row = output.rank() > 1 ? element / (output.size() / output[0]) : 0;
  return row % 3 == 0 ? element % 2 == 0 : row % 3 == 1;
}

// A run whose cotangent is multiplied by a factor for each element.
Run run_with(const Subject& subject, const std::function<double(Index)>& factor) {
  Subject other = subject;
  other.cotangent = subject.cotangent.copy();
  for (Index i = 0; i < other.cotangent.size(); ++i) {
    other.cotangent.data()[i] *= factor(i);
  }
  return run(other);
}

std::optional<Finding> check_parts(const Subject& subject, const CheckedRun& first) {
  const Shape& output = subject.cotangent.shape();
  const Run part = run_with(subject, [&](Index i) { return in_first_part(i, output) ? 1 : 0; });
  const Run rest = run_with(subject, [&](Index i) { return in_first_part(i, output) ? 0 : 1; });
  for (std::size_t k = 0; k < subject.inputs.size(); ++k) {
    const Tensor& gradient = first.run.gradients[k];
    Tensor sum = sum_of(part.gradients[k], rest.gradients[k]);  // NaN where either is
    for (Index i = 0; i < sum.size(); ++i) {
      // If the parts cancel, as in dy - Σ y dy of a softmax that is nearly 1, CheckedRun::rounding
      // may be only zeros. So differences within the rounding of the outputs are ignored here.
      const double distance = std::abs(sum.data()[i] - gradient.data()[i]);
      if (distance > 0 && distance <= first.output_rounding(k, i)) {
        sum.data()[i] = gradient.data()[i];
      }
    }
    const auto not_finite = [&](Index i) {
      return !std::isfinite(sum.data()[i]) && std::isfinite(gradient.data()[i]);
    };
    if (const Index i = first_where(sum.size(), not_finite); i >= 0) {
      return subject.found(Verdict::not_finite, k, i,
                           "the cause may be 0/0, or memory that was never written, because "
                           "backward skips rows whose dL/dy is 0");
    }
    if (const Index i = first.first_difference(gradient, sum, {k}); i >= 0) {
      return subject.found(
          Verdict::wrong, k, i,
          fmt::format(
              "not linear in dL/dy: the gradient is {:.6g}, but {:.6g} with one part of dL/dy set "
              "to 0, and {:.6g} with the rest set to 0: these two should add up to the gradient",
              gradient.data()[i], part.gradients[k].data()[i], rest.gradients[k].data()[i]));
    }
  }
  return {};
}

constexpr double multiple_factor = -1024;  // a power of two, so rounding stays the same

std::optional<Finding> check_multiple(const Subject& subject, const CheckedRun& first) {
  const Run multiple = run_with(subject, [](Index) { return multiple_factor; });
  for (std::size_t k = 0; k < subject.inputs.size(); ++k) {
    const auto divided = [](Scalar x, Scalar expected) {  // `expected` where the multiple overflows
      return std::isfinite(x) ? x / multiple_factor : expected;
    };
    const Tensor& gradient = first.run.gradients[k];
    const Tensor once = by_element(divided, multiple.gradients[k], gradient);
    if (const Index i = first.first_difference(gradient, once, {k}); i >= 0) {
      return subject.found(
          Verdict::wrong, k, i,
          fmt::format("not linear in dL/dy: the gradient is {:.6g}, and {:.6g} is not {} times as "
                      "much: does backward use an absolute value, a limit or a threshold?",
                      gradient.data()[i], multiple.gradients[k].data()[i], multiple_factor));
    }
  }
  return {};
}

}  // namespace

std::optional<Finding> check_purity(const Subject& subject, Run& first) {
  const std::vector<Tensor> inputs = copies(subject.inputs);
  const Tensor cotangent = subject.cotangent.copy();
  const Tensor plain = subject.value(subject.inputs).copy();
  const auto overwritten = [&](const char* pass) {
    return find_change(subject, inputs, subject.inputs, Verdict::input_overwritten,
                       fmt::format("the {} pass writes into its input; assigning a Tensor shares "
                                   "its memory, .copy() does not",
                                   pass));
  };
  if (auto finding = overwritten("forward")) {
    return finding;
  }
  first = run(subject);
  if (auto finding = overwritten("backward")) {
    return finding;
  }
  if (!same_bits(cotangent, subject.cotangent)) {
    return subject.found(
        Verdict::input_overwritten,
        "the backward pass writes into dL/dy, the gradient of its output, which other ops may use: "
        "call take_output(), and change the result only if it is unique()");
  }
  if (!same_bits(first.forward, first.output)) {
    return subject.found(Verdict::input_overwritten,
                         "the backward pass writes into its output, which other ops may use");
  }
  return check_repetition(subject, plain, first);
}

std::optional<Finding> check_accumulation(const CheckedRun& first, std::vector<bool>& arrived) {
  if (auto finding = check_writing(first, arrived)) {
    return finding;
  }
  const Subject& subject = first.subject;
  const std::vector<Tensor> earlier = used_memory(first, 3000);
  const std::vector<Tensor> before = copies(earlier);
  const Run added = run_into(subject, earlier, true);
  for (std::size_t k = 0; k < subject.inputs.size(); ++k) {
    const Tensor& gradient = first.run.gradients[k];
    const Tensor sum = sum_of(before[k], gradient);
    if (const Index i = first.first_difference(sum, added.gradients[k], {k}); i >= 0) {
      return subject.found(
          Verdict::not_accumulated, k, i,
          fmt::format("the gradient was {:.6g}, the new part is {:.6g}, and afterwards it is "
                      "{:.6g}, not the sum: if `accumulate` is true, add. Otherwise an input that "
                      "is used twice loses one part",
                      before[k].data()[i], gradient.data()[i], added.gradients[k].data()[i]));
    }
  }
  return {};
}

std::optional<Finding> check_constants(const CheckedRun& first) {
  const std::vector<Tensor>& inputs = first.subject.inputs;
  // Whether gradients stay the same if `one` is the only constant or (`alone`) the only variable.
  const auto check = [&](std::size_t one, bool alone) -> std::optional<Finding> {
    Subject probed = first.subject;
    probed.probe = alone ? fmt::format("with all inputs except {} as constants", one)
                         : fmt::format("with input {} as a constant", one);
    const std::string reason = alone
                                   ? fmt::format(
                                         "no other input needs a gradient: compute values that "
                                         "several gradients use, even if only g.needs({}) is true",
                                         one)
                                   : fmt::format(
                                         "input {0} needs no gradient: compute values that several "
                                         "gradients use, even if g.needs({0}) is false",
                                         one);
    const auto needs = [=](std::size_t k) { return (k == one) == alone; };
    try {
      const Run other = run(probed, [&](Tape& tape, std::size_t k) {
        return needs(k) ? tape.variable(inputs[k]) : tape.constant(inputs[k]);
      });
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        const Tensor& a = first.run.gradients[k];
        const Tensor& b = other.gradients[k];
        if (const Index i = needs(k) ? first.first_difference(a, b, {k}) : -1; i >= 0) {
          return probed.found(Verdict::wrong, k, i,
                              fmt::format("the gradient is {:.6g}, but {:.6g} if {}", a.data()[i],
                                          b.data()[i], reason));
        }
      }
    } catch (...) {
      return probed.thrown();
    }
    return {};
  };
  for (const bool alone : {false, true}) {
    for (std::size_t one = 0; one < inputs.size() && (inputs.size() > 2 || !alone); ++one) {
      if (auto finding = check(one, alone)) {
        return finding;
      }
    }
  }
  return {};
}

std::optional<Finding> check_linearity(const CheckedRun& first) {
  Subject probed = first.subject;
  try {
    probed.probe = "with some elements of dL/dy set to 0";
    if (auto finding = check_parts(probed, first)) {
      return finding;
    }
    probed.probe = fmt::format("with dL/dy multiplied by {}", multiple_factor);
    return check_multiple(probed, first);
  } catch (...) {
    return probed.thrown();
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
