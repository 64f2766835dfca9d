// Tensors: shapes, handles that share memory, views, copies. Which part of a module, and which of
// its heads, a column belongs to.
#include "core/tape/tensor.hpp"

#include "core/tape/anomaly.hpp"
#include "tests/support/message_of.hpp"

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
  EXPECT_EQ(Shape({2, 3}), Shape({2, 3}));
  EXPECT_NE(Shape({2, 3}), Shape({3, 2}));
  EXPECT_NE(Shape({2}), Shape({2, 0}));
  EXPECT_NE(Shape({2}), Shape({2, 1}));
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

TEST(Tensor, holds_nothing_at_first) {
  EXPECT_FALSE(Tensor().has_memory());
  EXPECT_FALSE(Tensor().copy().has_memory());
  EXPECT_TRUE(Tensor::empty({0, 3}).has_memory());
  EXPECT_THAT(Tensor::empty({0, 3}).values(), IsEmpty());
  EXPECT_THAT(Tensor::zeros({0, 3}).copy().values(), IsEmpty());
  // Checks are on in every test program, so fresh memory is NaN.
  const Tensor fresh = Tensor::empty({3, 5});
  EXPECT_THAT(fresh.values(), Each(IsNan()));
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

TEST(Tensor, copies_to_memory_of_its_own) {
  const Tensor x = Tensor::of({2, 2}, {1, 2, 3, 4});
  Tensor copy = x.part(2, {2}).copy();
  copy.data()[0] = 30;
  EXPECT_TRUE(x.unique());
  EXPECT_TRUE(copy.unique());
  EXPECT_EQ(copy.shape(), Shape({2}));
  EXPECT_THAT(copy.values(), ElementsAre(30, 4));
  EXPECT_THAT(x.values(), ElementsAre(1, 2, 3, 4));
  // A view outlives its tensor.
  const Tensor view = Tensor::of({4}, {1, 2, 3, 4}).part(1, {2});
  EXPECT_TRUE(view.unique());
  EXPECT_THAT(view.values(), ElementsAre(2, 3));
}

TEST(Tensor, refuses_numbers_that_do_not_fill_and_views_that_reach_beyond_it) {
  EXPECT_THAT([] { Tensor::of({2, 3}, {1, 2, 3}); }, throws("3 values", "(2, 3)"));
  const Tensor x = Tensor::zeros({2, 3});
  EXPECT_THAT([&] { static_cast<void>(x.part(4, {3})); }, throws("element 4", "(2, 3)"));
  EXPECT_THROW(static_cast<void>(x.part(-1, {3})), ShapeError);
  EXPECT_NO_THROW(static_cast<void>(x.part(6, {0})));
}

TEST(Module, tells_parts_and_heads_of_columns) {
  const Module heads{.paths = {"self.query", "self.key", "self.value"}, .heads = 2};
  const Module parts{.paths = {"query", "key", "value"}};
  struct Case {
    Module module;
    Index column;
    Index columns;
    const char* place;
  };
  const std::vector<Case> cases{
      {heads, 0, 30, "self.query, head 0"},
      {heads, 9, 30, "self.query, head 1"},
      {heads, 10, 30, "self.key, head 0"},
      {heads, 29, 30, "self.value, head 1"},
      {{.paths = {"feed_forward.inner"}}, 7, 9, "feed_forward.inner"},  // no heads
      {{.paths = {"narrow"}, .heads = 4}, 0, 2, "narrow"},
      {parts, 0, 1, "query"},  // reduced results with fewer columns than parts
      {parts, 1, 2, "key"}};
  for (const auto& [module, column, columns, place] : cases) {
    EXPECT_EQ(place_of(module, column, columns).to_string(), place);
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
