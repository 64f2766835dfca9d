// A correct checksum says nothing about the numbers, so every weight read is checked. The mean of
// several checkpoints' weights is correct.
#include "core/files/tensor_file.hpp"
#include "core/ranks/ranks.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/thread_ranks.hpp"
#include "tests/support/tiny_model.hpp"
#include "train/run/checkpoint.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

TEST(CheckpointWeights, that_are_not_finite_are_refused_with_file_and_name) {
  const TemporaryDirectory directory;
  const auto file = directory / "weights.safetensors";
  for (const Scalar bad :
       {std::numeric_limits<Scalar>::quiet_NaN(), -std::numeric_limits<Scalar>::infinity()}) {
    TinyModel model(tiny_options());
    const NamedParameter& last = model.store.parameters().back();
    Tensor values = model.store.value(last);
    values.data()[values.size() - 1] = bad;
    write_tensor_file(file, weight_entries(model.store), {});
    TinyModel read(tiny_options());
    EXPECT_THAT(io_error_of([&] { load_weights(TensorFile(file), read.store); }),
                AllOf(HasSubstr("weights.safetensors"), HasSubstr(last.name)));
  }
}

TEST(CheckpointWeights, that_differ_between_ranks_are_refused_by_all_with_the_rank) {
  for (const Index rank : {1, 2}) {
    run_ranks(3, [&](Ranks& ranks) {
      TinyModel model(tiny_options());
      model.store.values().values().back() += ranks.rank() == rank ? Scalar{1} : Scalar{0};
      EXPECT_THAT(message_of<RankError>([&] { expect_same_weights(model.store, 7, ranks); }),
                  HasSubstr(fmt::format("step 7: {} has other weights than {}", ranks.name(rank),
                                        ranks.name(0))));
    });
  }
}

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
  std::vector<std::filesystem::path> files{Weights(1).save(here / "a"), Weights(2).save(here / "b"),
                                           Weights(6, {3, 2}).save(here / "c")};
  Weights current(10);
  EXPECT_THROW(write_weight_average(files, current.store, {}, here / "average"), IoError)
      << "a file does not fit";
  EXPECT_THAT(current.numbers(), Each(Scalar{10}));
  EXPECT_FALSE(std::filesystem::exists(here / "average"));
  Weights(6).save(files[2]);
  write_weight_average(files, current.store, {{"step", "7"}}, here / "average");
  EXPECT_THAT(current.numbers(), Each(Scalar{10}));
  const TensorFile average(here / "average");
  load_weights(average, current.store);
  EXPECT_THAT(current.numbers(), Each(Scalar{3}));
  EXPECT_EQ(average.metadata().at("averaged"), "3");
  EXPECT_EQ(average.metadata().at("step"), "7");
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
