// Connects Tensor to xtensor: views, which own no memory, and evaluation of expressions.
//
// An expression is lazy and refers to its named operands, so `auto` must not hold an expression:
// give names only to Tensors. A Tensor must outlive its views.
#pragma once

#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xreducer.hpp>
#include <xtensor/xscalar.hpp>
#include <xtensor/xtensor.hpp>

#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace xtensor_view {

template <class Number, class Extents>
auto of(Number* data, Index count, const Extents& extents) {
  // The cast passes the pointer by value: xtensor would keep the address of a named pointer.
  return xt::adapt(static_cast<Number*>(data), static_cast<std::size_t>(count), xt::no_ownership(),
                   extents);
}

constexpr std::size_t any_rank = 0;

template <std::size_t Rank, class Number>
auto of_rank(Number* data, const Shape& shape) {
  const std::span<const Index> extents = shape.extents();
  if constexpr (Rank == any_rank) {
    return of(data, shape.size(), xt::dynamic_shape<std::size_t>(extents.begin(), extents.end()));
  } else {
    if (shape.rank() != static_cast<Index>(Rank)) {
      wrong_shape("view", std::to_string(Rank) + " axes", shape);
    }
    std::array<std::size_t, Rank> sizes{};
    std::ranges::copy(extents, sizes.begin());
    return of(data, shape.size(), sizes);
  }
}

// The shape of a Tensor for an expression; (1) for a single number, which has no axes.
template <class Expression>
Shape shape_of(const Expression& expression) {
  const std::size_t axes = expression.dimension();
  std::array<Index, Shape::max_rank> extents{1};
  if (axes > extents.size()) {
    throw ShapeError("tensor: an expression of {} axes; a Tensor has at most {}", axes,
                     Shape::max_rank);
  }
  for (std::size_t axis = 0; axis < axes; ++axis) {
    extents[axis] = static_cast<Index>(expression.shape()[axis]);
  }
  return Shape(std::span<const Index>(extents.data(), std::max<std::size_t>(1, axes)));
}

// Whether an expression contains a reduction (such as a sum) with xt::keep_dims, and whether the
// reduction meets other operands: xtensor 0.24 then reads wrong numbers.
template <class Expression>
constexpr bool has_kept_axes = false;
template <class Functors, class Of, class Axes, class Options>
constexpr bool has_kept_axes<xt::xreducer<Functors, Of, Axes, Options>> = Options::keep_dims::value;
template <class Function, class... Operand>
constexpr bool has_kept_axes<xt::xfunction<Function, Operand...>> =
    std::disjunction_v<std::bool_constant<has_kept_axes<std::decay_t<Operand>>>...>;

template <class Expression>
constexpr bool is_misread = false;
template <class Function, class... Operand>
constexpr bool is_misread<xt::xfunction<Function, Operand...>> =
    std::disjunction_v<std::bool_constant<is_misread<std::decay_t<Operand>>>...> ||
    (has_kept_axes<xt::xfunction<Function, Operand...>> &&
     (... + (xt::is_xscalar<std::decay_t<Operand>>::value ? 0 : 1)) > 1);

}  // namespace xtensor_view

// The numbers of a tensor, as an xtensor container of its shape. The view shares the memory, and
// can be written to unless the Tensor is const. If the number of axes is known, view<Rank> makes
// broadcasts faster. It throws ShapeError if the tensor has another number of axes.
template <std::size_t Rank = xtensor_view::any_rank>
auto view(Tensor& x) {
  return xtensor_view::of_rank<Rank>(x.data(), x.shape());
}
template <std::size_t Rank = xtensor_view::any_rank>
auto view(const Tensor& x) {
  return xtensor_view::of_rank<Rank>(x.data(), x.shape());
}
template <std::size_t Rank = xtensor_view::any_rank>
auto view(const Var& x) {
  return view<Rank>(x.value());
}
template <std::size_t Rank = xtensor_view::any_rank>
auto view(const Tensor&& x) = delete;  // its memory would be gone
template <std::size_t Rank = xtensor_view::any_rank>
auto view(const Var&& x) = delete;

// `count` numbers, or all numbers of a tensor, along a single axis.
template <class Number>
auto flat(Number* data, Index count) {
  return xtensor_view::of(data, count, std::array<std::size_t, 1>{static_cast<std::size_t>(count)});
}
inline auto flat(Tensor& x) { return flat(x.data(), x.size()); }
inline auto flat(const Tensor& x) { return flat(x.data(), x.size()); }
auto flat(const Tensor&& x) = delete;

// Evaluates an expression into a tensor of its shape, without a temporary: an element of `to` may
// be read only to compute the same element. Throws ShapeError if the shapes differ.
template <class Expression>
void assign(Tensor& to, const xt::xexpression<Expression>& expression) {
  static_assert(!xtensor_view::is_misread<Expression>,
                "give the sum with keep_dims a name: const Tensor sums = tensor(xt::sum(...))");
  const Expression& numbers = expression.derived_cast();
  if (const Shape shape = xtensor_view::shape_of(numbers); shape != to.shape()) {
    wrong_shape("assign", to.shape().to_string(), shape);
  }
  xt::noalias(xtensor_view::of(to.data(), to.size(), numbers.shape())) = numbers;
}

// Evaluates an expression into a new tensor; a single number has shape (1). Throws ShapeError.
template <class Expression>
Tensor tensor(const xt::xexpression<Expression>& expression) {
  Tensor to = Tensor::empty(xtensor_view::shape_of(expression.derived_cast()));
  assign(to, expression);
  return to;
}

// Evaluates a gradient straight into its target. It has the numbers of the input in their order.
template <class Expression>
void put(const GradientTarget& to, const xt::xexpression<Expression>& gradient) {
  static_assert(!xtensor_view::is_misread<Expression>, "give the sum with keep_dims a name");
  const Expression& numbers = gradient.derived_cast();
  auto place = xtensor_view::of(to.data, static_cast<Index>(numbers.size()), numbers.shape());
  if (to.accumulate) {
    xt::noalias(place) += numbers;
  } else {
    xt::noalias(place) = numbers;
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
