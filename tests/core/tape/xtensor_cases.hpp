// Tensors in xtensor: shared views, evaluated expressions, rejected shapes.
#pragma once

#include <tapehead/xtensor.hpp>

#include "tests/support/message_of.hpp"
#include "tests/support/random_tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

using xt::linalg::dot;

Tensor two_by_three() { return Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6}); }

// Whether view() of this value compiles; for temporaries it must not.
template <class Value>
concept Viewable = requires(Value&& value) { view(std::forward<Value>(value)); };

TEST(XtensorView, has_the_shape_of_its_tensor) {
  const std::vector<Shape> shapes{{5}, {2, 3}, {2, 3, 4}, {2, 3, 4, 5}, {0, 3}};
  for (const Shape& shape : shapes) {
    const Tensor x = random_tensor(shape, 1);
    ASSERT_EQ(view(x).dimension(), static_cast<std::size_t>(shape.rank()));
    EXPECT_EQ(tensor(+view(x)).shape(), shape);
    EXPECT_THAT(tensor(+view(x)).values(), ElementsAreArray(x.values()));
  }
  const Tensor x = random_tensor({2, 3, 4, 5}, 1);
  EXPECT_EQ(view<4>(x)(1, 2, 3, 4), x.data()[119]);
}

TEST(XtensorView, shares_the_memory) {
  Tensor x = two_by_three();
  const Tensor other = x;
  view(x)(1, 0) = 7;
  view<2>(x) *= 2;
  EXPECT_THAT(other.values(), ElementsAre(2, 4, 6, 14, 10, 12));
  Tape tape;
  const Var y = tape.variable(two_by_three());
  EXPECT_THAT(tensor(2 * view(y)).values(), ElementsAre(2, 4, 6, 8, 10, 12));
  EXPECT_THAT(tensor(2 * view<2>(y)).values(), ElementsAre(2, 4, 6, 8, 10, 12));
  static_assert(Viewable<Tensor&> && Viewable<const Tensor&> && Viewable<const Var&>);
  static_assert(!Viewable<Tensor> && !Viewable<const Tensor> && !Viewable<Var>);
}

TEST(XtensorView, of_another_rank_is_refused) {
  const Tensor x = two_by_three();
  EXPECT_THAT([&] { view<3>(x); }, throws("view: expected 3 axes, got (2, 3)"));
  Tensor place = Tensor::zeros({3, 2});
  EXPECT_THAT([&] { assign(place, 2 * view(x)); }, throws("assign: expected (3, 2), got (2, 3)"));
  const Tensor four = random_tensor({2, 3, 4, 5}, 1);
  EXPECT_THAT([&] { tensor(xt::expand_dims(view(four), 0)); },
              throws("5 axes; a Tensor has at most 4"));
}

TEST(XtensorExpression, becomes_a_tensor_of_its_shape) {
  const Tensor x = two_by_three();
  const Tensor row = Tensor::of({3}, {10, 20, 30});
  const Tensor column = Tensor::of({2, 1}, {100, 200});
  const Tensor y = tensor(view(x) + view(row) + view(column));
  EXPECT_EQ(y.shape(), Shape({2, 3}));
  EXPECT_THAT(y.values(), ElementsAre(111, 122, 133, 214, 225, 236));
  const Tensor sums = tensor(xt::sum(view(x), {1}, xt::keep_dims));
  EXPECT_EQ(sums.shape(), Shape({2, 1}));
  EXPECT_THAT(sums.values(), ElementsAre(6, 15));
  const Tensor sum = tensor(xt::sum(view(x)));  // a loss always has shape (1)
  EXPECT_EQ(sum.shape(), Shape({1}));
  EXPECT_THAT(sum.values(), ElementsAre(21));
}

// xtensor 0.24 computes x / xt::sum(x, {1}, xt::keep_dims) wrongly, so it must not compile.
TEST(XtensorExpression, needs_names_for_sums_that_keep_axes) {
  const Tensor x = two_by_three();
  const Tensor sums = tensor(xt::sum(view(x), {1}, xt::keep_dims));
  EXPECT_THAT(tensor(30 * view(x) / view(sums)).values(), ElementsAre(5, 10, 15, 8, 10, 12));
  EXPECT_THAT(tensor(xt::mean(view(x), {1}, xt::keep_dims)).values(), ElementsAre(2, 5));
  const auto misread = [](const auto& expression) {
    return xtensor_view::is_misread<std::decay_t<decltype(expression)>>;
  };
  EXPECT_TRUE(misread(view(x) / xt::sum(view(x), {1}, xt::keep_dims)));
  EXPECT_TRUE(misread(view(x) / xt::sqrt(xt::mean(xt::square(view(x)), {1}, xt::keep_dims) + 1)));
  EXPECT_FALSE(misread(xt::sqrt(xt::mean(view(x), {1}, xt::keep_dims) + 1)));
  EXPECT_FALSE(misread(view(x) - xt::sum(view(x), {0})));
}

TEST(XtensorExpression, may_be_a_product_of_transposed_matrices) {
  const Tensor x = two_by_three();
  const Tensor w = Tensor::of({4, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1});
  const Tensor y = tensor(dot(view(x), xt::transpose(view(w))));
  EXPECT_EQ(y.shape(), Shape({2, 4}));
  EXPECT_THAT(y.values(), ElementsAre(1, 2, 3, 6, 4, 5, 6, 15));
  const Tensor back = tensor(dot(xt::transpose(view(y)), view(x)));
  EXPECT_EQ(back.shape(), Shape({4, 3}));
  EXPECT_EQ(back.row(3)[2], 6 * 3 + 15 * 6);
}

TEST(XtensorExpression, of_no_rows_is_empty) {
  const Tensor x = Tensor::empty({0, 3});
  const Tensor w = random_tensor({4, 3}, 1);
  EXPECT_EQ(tensor(dot(view(x), xt::transpose(view(w)))).shape(), Shape({0, 4}));
  const Tensor sums = tensor(dot(xt::transpose(view(x)), view(x)));
  EXPECT_EQ(sums.shape(), Shape({3, 3}));
  EXPECT_THAT(sums.values(), Each(0));
}

TEST(XtensorPut, writes_or_adds_a_gradient) {
  Tensor place = two_by_three();
  assign(place, 0.5 * view(place) + 1);
  EXPECT_THAT(place.values(), ElementsAre(1.5, 2, 2.5, 3, 3.5, 4));
  // The first gradient overwrites, later ones are added.
  const Tensor x = two_by_three();
  put({place.data(), false}, 2 * view(x));
  EXPECT_THAT(place.values(), ElementsAre(2, 4, 6, 8, 10, 12));
  put({place.data(), true}, view(x));
  EXPECT_THAT(place.values(), ElementsAre(3, 6, 9, 12, 15, 18));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
