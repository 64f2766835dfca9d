// Loads PyTorch fixtures into parameters and compares results with them.
#pragma once

#include "core/files/tensor_file.hpp"
#include "core/tape/parameters.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Tolerance as a share of the tensor's largest magnitude. It is half of the allowed difference
// between two CPUs, because each CPU is compared with the fixture.
constexpr double pytorch_share = sizeof(Scalar) == sizeof(double) ? 5e-13 : 5e-6;

inline TensorFile pytorch_fixture(const std::string& name) {
  return TensorFile(TAPEHEAD_FIXTURES "/pytorch/" + name + ".safetensors", Trust::any);
}

inline Tensor tensor_of(const TensorFile& file, const std::string& name, const Shape& shape) {
  Tensor values = Tensor::empty(shape);
  copy_values(file.entry(name), values.values());
  return values;
}

inline double largest_of(const Tensor& tensor) {
  double largest = 0;
  for (const Scalar value : tensor.values()) {
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  return largest;
}

inline void expect_within(double tolerance, std::span<const Scalar> found, const Tensor& expected) {
  ASSERT_EQ(found.size(), expected.values().size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected.values()[i], tolerance) << "element " << i;
  }
}

inline void expect_near(std::span<const Scalar> found, const Tensor& expected,
                        double share = pytorch_share) {
  expect_within(share * largest_of(expected), found, expected);
}

// Sets every parameter from "parameter.<name>".
inline void load_parameters(ParameterStore& store, const TensorFile& file) {
  store.initialize(1);
  for (const NamedParameter& parameter : store.parameters()) {
    Tensor values = store.value(parameter);
    copy_values(file.entry("parameter." + parameter.name), values.values());
  }
}

// Compares every parameter's gradient with "gradient.<name>".
inline void expect_parameter_gradients(const ParameterStore& store,
                                       const ParameterGradients& gradients,
                                       const TensorFile& file) {
  for (const NamedParameter& parameter : store.parameters()) {
    SCOPED_TRACE(parameter.name);
    const Scalar* gradient =
        gradients.data(parameter.block) + parameter.offset - store.block_begin(parameter.block);
    const std::span found(gradient, static_cast<std::size_t>(parameter.shape.size()));
    const Tensor expected = tensor_of(file, "gradient." + parameter.name, parameter.shape);
    // Without rotary positions, a key bias shifts all scores of a query alike: its gradient is 0.
    if (parameter.name.ends_with("key.bias") && largest_of(expected) < 1e-14) {
      expect_within(pytorch_share, found, Tensor::zeros(parameter.shape));
    } else {
      expect_near(found, expected);
    }
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
