// The mean of several checkpoints' weights is correct, and leaves the model whose store it uses
// unchanged.
#include "train/run/checkpoint.hpp"

#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// One parameter of six equal numbers.
struct Weights {
  explicit Weights(double value, const Shape& shape = {2, 3}) {
    store.root().create("weight", ParameterKind::matrix, shape, Initializer::constant(value));
    store.initialize(1);
  }
  std::vector<Scalar> numbers() {
    const auto values = store.value(store.parameters()[0]).values();
    return {values.begin(), values.end()};
  }
  std::filesystem::path save(const std::filesystem::path& file) {
    write_tensor_file(file, weight_entries(store), {});
    return file;
  }
  ParameterStore store;
};

TEST(WeightAverage, is_the_mean_and_leaves_the_store_as_it_was) {
  const TemporaryDirectory here;
  const std::vector<std::filesystem::path> files{
      Weights(1).save(here / "a"), Weights(2).save(here / "b"), Weights(6).save(here / "c")};
  Weights current(10);
  write_weight_average(files, current.store, {{"step", "7"}}, here / "average");
  EXPECT_THAT(current.numbers(), Each(Scalar{10}));
  const TensorFile average(here / "average");
  load_weights(average, current.store);
  EXPECT_THAT(current.numbers(), Each(Scalar{3}));
  EXPECT_EQ(average.metadata().at("averaged"), "3");
  EXPECT_EQ(average.metadata().at("step"), "7");
}

TEST(WeightAverage, leaves_the_store_as_it_was_when_a_file_does_not_fit) {
  const TemporaryDirectory here;
  const std::vector<std::filesystem::path> files{Weights(1).save(here / "a"),
                                                 Weights(2, {3, 2}).save(here / "b")};
  Weights current(10);
  EXPECT_THROW(write_weight_average(files, current.store, {}, here / "average"), IoError);
  EXPECT_THAT(current.numbers(), Each(Scalar{10}));
  EXPECT_FALSE(std::filesystem::exists(here / "average"));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
