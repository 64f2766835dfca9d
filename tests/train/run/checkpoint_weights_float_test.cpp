// Weights from a file: a right checksum says nothing about the numbers, so each is looked at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/files/tensor_file.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tiny_model.hpp"
#include "train/run/checkpoint.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

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

}}}  // namespace tapehead::TAPEHEAD_PRECISION
