// The parameter store: names, layout, initial values, and gradients in the same layout.
#include "core/tape/parameters.hpp"

#include "core/ops/arithmetic.hpp"
#include "tests/support/message_of.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

const NamedParameter& named(const ParameterStore& store, std::string_view name) {
  return *std::ranges::find(store.parameters(), name, &NamedParameter::name);
}

Parameter create(ParameterStore& store, const char* name, const Shape& shape,
                 const Initializer& initializer) {
  return store.root().create(name, ParameterKind::other, shape, initializer);
}

TEST(Parameters, are_named_by_their_path) {
  ParameterStore store;
  const Scope layer = store.root() / "encoder" / "layers" / "0";
  const Parameter weight =
      layer.create("weight", ParameterKind::matrix, {3, 5}, Initializer::constant(1));
  const Parameter scale = create(store, "scale", {2}, Initializer::constant(1));
  EXPECT_EQ(layer.path(), "encoder.layers.0");
  EXPECT_EQ(weight.shape, Shape({3, 5}));
  EXPECT_EQ(scale.shape, Shape({2}));
  ASSERT_EQ(store.parameters().size(), 2U);
  EXPECT_EQ(store.parameters()[0].name, "encoder.layers.0.weight");
  EXPECT_EQ(store.parameters()[0].shape, Shape({3, 5}));
  EXPECT_EQ(store.parameters()[1].name, "scale");
  EXPECT_EQ(store.count(), 3 * 5 + 2);
  EXPECT_EQ(store.blocks(), 2);
}

TEST(Parameters, refuse_a_name_that_is_taken) {
  ParameterStore store;
  const Scope scope = store.root() / "norm";
  const Initializer ones = Initializer::constant(1);
  scope.create("gain", ParameterKind::gain, {3}, ones);
  EXPECT_THAT([&] { scope.create("gain", ParameterKind::gain, {4}, ones); },
              throws<ConfigError>("norm.gain"));
  EXPECT_THROW(scope.create_stacked({"a", "a"}, ParameterKind::other, {3}, ones), ConfigError);
}

TEST(Parameters, overlap_nowhere_and_have_zeros_in_the_gaps_between) {
  ParameterStore store;
  const Parameter a = create(store, "a", {3, 5}, Initializer::constant(1));
  store.root().create_stacked({"b", "c"}, ParameterKind::other, {7, 2}, Initializer::constant(2));
  const Parameter d = create(store, "d", {1}, Initializer::constant(3));
  store.initialize(1);
  EXPECT_EQ(store.block_size(a.block), 15);
  EXPECT_EQ(store.block_begin(d.block) % 8, 0) << "blocks start on a cache line";
  EXPECT_EQ(store.values().size(), store.size());
  const auto numbers = store.values().values();
  EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), 0.0), 15 * 1 + 28 * 2 + 1 * 3);
  Scalar filling = 10;
  for (const NamedParameter& parameter : store.parameters()) {
    Tensor value = store.value(parameter);
    std::ranges::fill(value.values(), filling++);
  }
  filling = 10;
  for (const NamedParameter& parameter : store.parameters()) {
    EXPECT_THAT(store.value(parameter).values(), Each(filling++));
  }
}

// Query, key and value weights stacked in one tensor, for a single matrix product.
TEST(Parameters, that_are_stacked_are_one_tensor) {
  ParameterStore store;
  create(store, "before", {1}, Initializer::constant(0));
  const Parameter stacked = store.root().create_stacked({"query", "key"}, ParameterKind::matrix,
                                                        {2, 3}, Initializer::normal(1));
  const Parameter biases = store.root().create_stacked(
      {"query_bias", "key_bias"}, ParameterKind::bias, {2}, Initializer::constant(4));
  store.initialize(1);
  EXPECT_EQ(stacked.shape, Shape({4, 3}));
  EXPECT_EQ(biases.shape, Shape({4}));
  const Tensor whole = store.value(stacked);
  EXPECT_EQ(store.value(named(store, "query")).shape(), Shape({2, 3}));
  EXPECT_EQ(store.value(named(store, "query")).data(), whole.data());
  EXPECT_EQ(store.value(named(store, "key")).shape(), Shape({2, 3}));
  EXPECT_EQ(store.value(named(store, "key")).data(), whole.data() + 6);
  EXPECT_THAT(store.value(biases).values(), Each(4));
}

TEST(Parameters, start_as_their_initializer_says) {
  ParameterStore store;
  const Parameter constant = create(store, "a", {5}, Initializer::constant(-2.5));
  const Parameter normal = create(store, "b", {100, 100}, Initializer::normal(0.5));
  const Parameter uniform = create(store, "c", {100, 100}, Initializer::uniform(0.5));
  store.initialize(3);
  EXPECT_THAT(store.value(constant).values(), Each(-2.5));
  EXPECT_THAT(store.value(uniform).values(), Each(AllOf(Ge(-0.5), Le(0.5))));
  // Mean and deviation of 10,000 draws within five standard errors. The standard deviation of a
  // uniform number is its magnitude over √3.
  for (const auto& [parameter, deviation] :
       {std::pair{normal, 0.5}, std::pair{uniform, 0.5 / std::sqrt(3)}}) {
    const Tensor drawn = store.value(parameter);
    const auto all = drawn.values();
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    const double squares = std::inner_product(all.begin(), all.end(), all.begin(), 0.0);
    EXPECT_NEAR(sum / 1e4, 0, 5 * deviation / 100);
    EXPECT_NEAR(std::sqrt(squares / 1e4), deviation, 5 * deviation / 100);
  }
}

// A parameter's initial value does not depend on other parameters, declaration order or stacking.
TEST(Parameters, start_from_nothing_but_seed_and_name) {
  ParameterStore alone;
  (alone.root() / "layer").create("key", ParameterKind::matrix, {3, 5}, Initializer::normal(1));
  alone.initialize(7);
  ParameterStore other;
  create(other, "first", {11}, Initializer::uniform(1));
  (other.root() / "layer")
      .create_stacked({"query", "key"}, ParameterKind::matrix, {3, 5}, Initializer::normal(1));
  other.initialize(7);
  const auto key = alone.value(alone.parameters()[0]);
  EXPECT_THAT(other.value(named(other, "layer.key")).values(), ElementsAreArray(key.values()));
  EXPECT_THAT(other.value(named(other, "layer.query")).values(),
              Not(ElementsAreArray(key.values())));
  other.initialize(8);
  EXPECT_THAT(other.value(named(other, "layer.key")).values(), Not(ElementsAreArray(key.values())));
}

TEST(ParameterGradients, gather_what_passes_give) {
  ParameterStore store;
  const Parameter used = create(store, "used", {2}, Initializer::constant(3));
  const Parameter unused = create(store, "unused", {2}, Initializer::constant(3));
  store.initialize(1);
  ParameterGradients gradients(store);
  EXPECT_FALSE(gradients.written(used.block));
  const auto pass = [&] {
    Tape tape;
    const Var x = tape.parameter(store.value(used), gradients.slot(used.block));
    tape.parameter(store.value(unused), gradients.slot(unused.block));
    tape.backward(multiply(x, x), Tensor::of({2}, {1, 10}));
  };
  const auto gathered = [&] { return std::span(gradients.data(used.block), 2); };
  pass();
  EXPECT_TRUE(gradients.written(used.block));
  EXPECT_FALSE(gradients.written(unused.block));
  EXPECT_THAT(gathered(), ElementsAre(6, 60));
  pass();
  EXPECT_THAT(gathered(), ElementsAre(12, 120));
  gradients.forget();
  EXPECT_FALSE(gradients.written(used.block));
  pass();
  EXPECT_THAT(gathered(), ElementsAre(6, 60));
}

// The forward pass and the code after the step can use the memory of the gradients.
TEST(ParameterGradients, take_memory_when_the_first_gradient_comes_and_forget_it) {
  ParameterStore store;
  const Parameter weight = create(store, "weight", {2}, Initializer::constant(3));
  store.initialize(1);
  ParameterGradients gradients(store);
  for (int step = 0; step < 2; ++step) {
    Tape tape;
    const Var x = tape.parameter(store.value(weight), gradients.later_slot(weight.block));
    const Var same = tape.parameter(store.value(weight), gradients.later_slot(weight.block));
    const Var y = multiply(multiply(x, x), same);
    EXPECT_EQ(gradients.data(weight.block), nullptr);
    tape.backward(y, Tensor::of({2}, {1, 10}));
    EXPECT_THAT(std::span(gradients.data(weight.block), 2), ElementsAre(27, 270));
    EXPECT_THAT(tape.gradient(x).values(), ElementsAre(27, 270));
    EXPECT_EQ(tape.gradient(same).data(), gradients.data(weight.block));
    gradients.forget();
  }
  EXPECT_EQ(gradients.data(weight.block), nullptr);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
