// The subject of a gradient check, and one run of it: a forward and a backward pass.
#pragma once

#include "core/gradcheck/diagnosis/comparison.hpp"
#include "core/gradcheck/gradcheck.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// An input given only by its shape, `random(7, 5)`. The checker draws its numbers as `uneven` does:
// different numbers for each input, the same in every run.
struct RandomInput {
  Shape shape;
};

template <std::convertible_to<Index>... Extent>
RandomInput random(Extent... extents) {
  return {{static_cast<Index>(extents)...}};
}

Tensor drawn(const RandomInput& random, std::size_t input);
inline Tensor drawn(const Tensor& tensor, std::size_t /*input*/) { return tensor; }

// The distance from 1 to the next larger number.
inline constexpr double machine_epsilon = std::numeric_limits<Scalar>::epsilon();

struct Subject {
  const GradcheckFunction& function;
  std::vector<Tensor> inputs;
  const GradcheckOptions& options;
  Tensor cotangent{};               // dL/dy, of the output's shape
  std::string op = "the function";  // the op that made the output
  std::string probe{};              // how a probe changed the inputs; empty: no probe

  Tensor value(const std::vector<Tensor>& at) const;  // throws if the shape differs

  // A finding about the whole function, or about one element (-1: all elements) of an input.
  Finding found(Verdict verdict, std::string hint) const;
  Finding found(Verdict verdict, std::size_t input, Index element, std::string hint) const;

  // Call in a catch block: a finding about the exception. A ShapeError gets the verdict
  // `for_shapes`.
  Finding thrown(Verdict for_shapes = Verdict::wrong_shape) const;
};

// The function's value, not recorded.
Tensor value_of(const GradcheckFunction& function, const std::vector<Tensor>& inputs);

// Random numbers of magnitude 0.5 ... 1.5 with random signs. Uneven numbers prevent that a symmetry
// of an op hides a wrong gradient; very small numbers could hide an error.
Tensor uneven(const Shape& shape, std::uint64_t seed);

struct Run {
  Tensor output;                  // after the backward pass
  Tensor forward;                 // a copy from before the backward pass
  std::vector<Tensor> gradients;  // of the inputs; zeros if none arrived
};

// Makes the leaf for an input: a variable, a parameter or a constant.
using MakeLeaf = std::function<Var(Tape&, std::size_t input)>;
Run run(const Subject& subject, const MakeLeaf& make_leaf);
Run run(const Subject& subject);  // with variables

// The largest magnitude among the finite numbers; 1 if that is 0.
double magnitude(const Tensor& tensor);

// Applies f to the elements of tensors that have the same shape.
template <class Function, class... Other>
Tensor by_element(const Function& f, const Tensor& tensor, const Other&... others) {
  Tensor result = Tensor::empty(tensor.shape());
  for (Index i = 0; i < tensor.size(); ++i) {
    result.data()[i] = f(tensor.data()[i], others.data()[i]...);
  }
  return result;
}

// The tensor with changes in the last bits of its numbers.
Tensor with_other_bits(const Tensor& tensor, std::uint64_t seed);

double sum_of_products(const Tensor& a, const Tensor& b);
Tensor sum_of(const Tensor& a, const Tensor& b);
inline std::vector<Tensor> copies(const std::vector<Tensor>& tensors) {
  return mapped(tensors, &Tensor::copy);
}
bool same_bits(const Tensor& a, const Tensor& b);

}}  // namespace tapehead::TAPEHEAD_PRECISION
