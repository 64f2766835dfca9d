#include "core/gradcheck/subject.hpp"

#include "core/random/draws.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Tensor value_of(const GradcheckFunction& function, const std::vector<Tensor>& inputs) {
  Tape tape(false);
  const auto leaf = [&](const Tensor& input) { return tape.constant(input); };
  return function(tape, mapped(inputs, leaf)).value();
}

Tensor Subject::value(const std::vector<Tensor>& at) const {
  Tensor result = value_of(function, at);
  if (result.shape() != cotangent.shape()) {
    throw ShapeError("the output has shape {}, but had {} in the first run",
                     result.shape().to_string(), cotangent.shape().to_string());
  }
  return result;
}

Finding Subject::found(Verdict verdict, std::string hint) const {
  return {.verdict = verdict, .subject = op, .probe = probe, .hint = std::move(hint)};
}

Finding Subject::found(Verdict verdict, std::size_t input, Index element, std::string hint) const {
  Finding finding = found(verdict, std::move(hint));
  const Shape& shape = inputs[input].shape();
  finding.element = fmt::format("input {} {}", input,
                                element < 0 ? shape.to_string() : element_name(element, shape));
  return finding;
}

Finding Subject::thrown(Verdict for_shapes) const {
  try {
    throw;
  } catch (const ShapeError& error) {
    return found(for_shapes, error.what());
  } catch (const std::exception& error) {
    return found(Verdict::failed, fmt::format("it throws: {}", error.what()));
  } catch (...) {
    return found(Verdict::failed, "it throws something that is not a std::exception");
  }
}

Tensor uneven(const Shape& shape, std::uint64_t seed) {
  const Draws draws(seed, "gradcheck.uneven", 0);
  Tensor result = Tensor::empty(shape);
  std::uint64_t index = 0;
  for (Scalar& number : result.values()) {
    const double uniform = 2 * draw_uniform(draws, index++) - 1;
    number = static_cast<Scalar>(uniform + std::copysign(0.5, uniform));
  }
  return result;
}

Tensor drawn(const RandomInput& random, std::size_t input) {
  return uneven(random.shape, digest("gradcheck.random") + input);
}

Run run(const Subject& subject, const MakeLeaf& make_leaf) {
  Tape tape;
  const std::vector<Var> leaves = mapped(numbers_below(subject.inputs.size()),
                                         [&](std::size_t k) { return make_leaf(tape, k); });
  const Var output = subject.function(tape, leaves);
  Run result{.output = output.value(), .forward = output.value().copy(), .gradients = {}};
  tape.backward(output, subject.cotangent);
  result.gradients = mapped(leaves, [&](const Var& leaf) { return tape.gradient(leaf); });
  return result;
}

Run run(const Subject& subject) {
  return run(subject, [&](Tape& tape, std::size_t k) { return tape.variable(subject.inputs[k]); });
}

double magnitude(const Tensor& tensor) {
  double largest = 0;
  for (const Scalar x : tensor.values()) {
    largest = std::isfinite(x) ? std::max<double>(largest, std::abs(x)) : largest;
  }
  return largest > 0 ? largest : 1;
}

Tensor with_other_bits(const Tensor& tensor, std::uint64_t seed) {
  constexpr double last_bits = 16 * machine_epsilon;
  return by_element([](Scalar x, Scalar change) { return x * (1 + last_bits * change); }, tensor,
                    uneven(tensor.shape(), seed));
}

double sum_of_products(const Tensor& a, const Tensor& b) {
  return std::inner_product(a.values().begin(), a.values().end(), b.data(), 0.0);
}

Tensor sum_of(const Tensor& a, const Tensor& b) { return by_element(std::plus(), a, b); }

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), a.values().size_bytes()) == 0;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
