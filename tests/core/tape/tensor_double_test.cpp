// Tensors: shapes, handles that share memory, views, copies.
#include "core/tape/tensor.hpp"

#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

TEST(Shape, knows_its_axes) {
  const Shape shape{2, 3, 5};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape[1], 3);
  EXPECT_EQ(shape.size(), 30);
  EXPECT_EQ(shape.to_string(), "(2, 3, 5)");
  EXPECT_EQ(Shape({7}).to_string(), "(7)");
  EXPECT_EQ(Shape().size(), 1);
  EXPECT_EQ(Shape({0, 4}).size(), 0);
}

TEST(Shape, compares_rank_and_extents) {
  EXPECT_EQ(Shape({2, 3}), Shape({2, 3}));
  EXPECT_NE(Shape({2, 3}), Shape({3, 2}));
  EXPECT_NE(Shape({2}), Shape({2, 0}));
  EXPECT_NE(Shape({2}), Shape({2, 1}));
}

TEST(Shape, refuses_too_many_axes_and_negative_ones) {
  EXPECT_THROW(Shape({1, 1, 1, 1, 1}), ShapeError);
  EXPECT_THROW(Shape({2, -1}), ShapeError);
}

TEST(Tensor, is_made_of_numbers) {
  const Tensor x = Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(x.shape(), Shape({2, 3}));
  EXPECT_EQ(x.dim(1), 3);
  EXPECT_EQ(x.size(), 6);
  EXPECT_THAT(x.values(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(x.row(1)[0], 4);
  EXPECT_THAT(Tensor::zeros({3}).values(), Each(0));
  EXPECT_THAT(Tensor::full({2, 2}, 7).values(), ElementsAre(7, 7, 7, 7));
  const std::vector<Scalar> numbers{8, 9};
  EXPECT_THAT(Tensor::of({2}, numbers).values(), ElementsAre(8, 9));
}

TEST(Tensor, refuses_numbers_that_do_not_fill) {
  EXPECT_THAT([] { Tensor::of({2, 3}, {1, 2, 3}); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("3 values"), HasSubstr("(2, 3)"))));
}

TEST(Tensor, holds_nothing_at_first) {
  EXPECT_FALSE(Tensor().has_memory());
  EXPECT_FALSE(Tensor().copy().has_memory());
  EXPECT_TRUE(Tensor::empty({0, 3}).has_memory());
  EXPECT_THAT(Tensor::empty({0, 3}).values(), IsEmpty());
  EXPECT_THAT(Tensor::zeros({0, 3}).copy().values(), IsEmpty());
}

// Checks are on in every test program, so fresh memory is NaN.
TEST(Tensor, is_nan_where_nothing_was_written) {
  const Tensor x = Tensor::empty({3, 5});
  for (const Scalar number : x.values()) {
    EXPECT_TRUE(std::isnan(number));
  }
}

TEST(Tensor, shares_memory_with_its_copies_and_views) {
  Tensor x = Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_TRUE(x.unique());
  {
    const Tensor same = x.part(0, x.shape());
    Tensor wide = x.part(0, {1, 6});
    const Tensor row = x.part(3, {3});
    EXPECT_FALSE(x.unique());
    EXPECT_THAT(row.values(), ElementsAre(4, 5, 6));
    wide.data()[4] = 50;
    EXPECT_EQ(same.values()[4], 50);
    EXPECT_EQ(row.values()[1], 50);
  }
  EXPECT_TRUE(x.unique());
}

TEST(Tensor, outlives_what_it_is_a_view_of) {
  Tensor view;
  {
    const Tensor x = Tensor::of({4}, {1, 2, 3, 4});
    view = x.part(1, {2});
  }
  EXPECT_TRUE(view.unique());
  EXPECT_THAT(view.values(), ElementsAre(2, 3));
}

TEST(Tensor, copies_to_memory_of_its_own) {
  const Tensor x = Tensor::of({2, 2}, {1, 2, 3, 4});
  Tensor copy = x.part(2, {2}).copy();
  copy.data()[0] = 30;
  EXPECT_TRUE(x.unique());
  EXPECT_TRUE(copy.unique());
  EXPECT_EQ(copy.shape(), Shape({2}));
  EXPECT_THAT(copy.values(), ElementsAre(30, 4));
  EXPECT_THAT(x.values(), ElementsAre(1, 2, 3, 4));
}

TEST(Tensor, refuses_views_that_reach_beyond_it) {
  const Tensor x = Tensor::zeros({2, 3});
  EXPECT_THAT([&] { static_cast<void>(x.part(4, {3})); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("element 4"), HasSubstr("(2, 3)"))));
  EXPECT_THROW(static_cast<void>(x.part(-1, {3})), ShapeError);
  EXPECT_NO_THROW(static_cast<void>(x.part(6, {0})));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
