// A mutant: an op with a planted mistake, and the expected report of the checker. A mutation: a
// mistake that can be planted in any op.
#pragma once

#include "tests/core/gradcheck/mutants/op_subject.hpp"
#include "tests/core/gradcheck/mutants/planting.hpp"
#include "tests/core/gradcheck/mutants/seeds.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// An op before a mistake is planted: its inputs, and its gradients for a fixed cotangent.
struct Specimen {
  OpSubject subject;
  GradcheckFunction function;
  Tensors inputs;
  Tensor dy;
  Tensors gradients;
};

inline Specimen specimen_of(const OpSubject& subject) {
  GradcheckFunction function = subject.function(mutant_seed);
  Tensors inputs = inputs_of(subject, mutant_seed);
  Tensor dy = random_tensor(value_of(function, inputs).shape(), mutant_seed, 0.5, 1.5);
  Tensors gradients = gradients_of(function, inputs, dy);
  return {subject, std::move(function), std::move(inputs), std::move(dy), std::move(gradients)};
}

// The expected verdict and kinds for a planted mistake.
struct Expectation {
  Verdict verdict = Verdict::wrong;
  std::vector<WrongKind> kinds{WrongKind::none};  // any of these kinds is correct
};

struct Mutant {
  std::string about;  // op and inputs, such as "softmax (x)"
  std::string mistake;
  std::vector<std::size_t> inputs;  // inputs whose gradients are wrong
  Expectation expected;
  GradcheckFunction function;
  Tensors at;
};

inline std::string about(const OpSubject& subject, const std::vector<std::size_t>& inputs) {
  const auto name = [&subject](std::size_t k) { return subject.inputs[k].name; };
  return fmt::format("{} ({})", subject.name,
                     fmt::join(inputs | std::views::transform(name), ", "));
}

struct Outcome {
  bool caught;
  bool named;  // every finding has the expected verdict, an expected kind and a mutated input
  std::string found;
};

inline std::string describe(Verdict verdict, WrongKind kind) {
  return kind == WrongKind::none ? std::string(name_of(verdict))
                                 : fmt::format("{} ({})", name_of(verdict), name_of(kind));
}

inline std::string describe(const Expectation& expected) {
  std::string text;
  for (const WrongKind kind : expected.kinds) {
    text += (text.empty() ? "" : ", or ") + describe(expected.verdict, kind);
  }
  return text;
}

// A finding that names no input counts as about every input.
inline bool is_expected(const Finding& finding, const Mutant& mutant) {
  const bool input =
      finding.element.empty() || std::ranges::any_of(mutant.inputs, [&finding](std::size_t k) {
        return finding.element.starts_with(fmt::format("input {} ", k));
      });
  return input && finding.verdict == mutant.expected.verdict &&
         std::ranges::find(mutant.expected.kinds, finding.kind) != mutant.expected.kinds.end();
}

inline Outcome outcome_of(const Mutant& mutant) {
  const GradcheckReport report = gradcheck(mutant.function, mutant.at);
  if (report.ok()) {
    return {.caught = false, .named = false, .found = "MISSED"};
  }
  std::vector<std::string> found;
  bool named = true;
  for (const Finding& finding : report.findings) {
    const std::string text = describe(finding.verdict, finding.kind);
    if (std::ranges::find(found, text) == found.end()) {
      found.push_back(text);
    }
    named = named && is_expected(finding, mutant);
  }
  return {.caught = true, .named = named, .found = fmt::format("{}", fmt::join(found, ", "))};
}

// Returns the op with the mistake in the gradient of one input (mutations of a whole op ignore
// `input`), or nullopt if the mistake makes no difference.
using Plant = std::function<std::optional<GradcheckFunction>(const Specimen&, std::size_t input)>;

struct Mutation {
  std::string what;
  Expectation expected;
  Plant plant;
};

// Plants where `fits` holds.
inline Plant planted_if(const std::function<bool(const Specimen&, std::size_t input)>& fits,
                        const Plant& plant) {
  return [fits, plant](const Specimen& specimen, std::size_t input) {
    return fits(specimen, input) ? plant(specimen, input) : std::nullopt;
  };
}

inline void multiply_by(Tensor& tensor, Scalar factor) {
  std::ranges::for_each(tensor.values(), [factor](Scalar& number) { number *= factor; });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
