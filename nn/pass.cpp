#include "nn/pass.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Var Pass::parameter(const Parameter& parameter) {
  if (leaves_.empty()) {
    leaves_.resize(static_cast<std::size_t>(store_.blocks()));
  }
  std::optional<Var>& leaf = leaves_[static_cast<std::size_t>(parameter.block)];
  if (!leaf) {
    const Index block = parameter.block;
    const Tensor value = store_.values().part(store_.block_begin(block), store_.block_shape(block));
    const bool constant = gradients_ == nullptr || (training_ && store_.frozen(block));
    leaf = constant
               ? tape_.constant(value)
               : tape_.parameter(value, gradients_->later_slot(block), &store_.module_of(block));
  }
  return *leaf;
}

Var Pass::bias(const Parameter& bias, Index size) {
  return bias.declared() ? parameter(bias) : tape_.constant(Tensor::zeros({size}));
}

Var Pass::linear(const Var& x, const Parameter& weight, const Parameter& bias,
                 const std::optional<WeightRows>& rows) {
  const std::optional<Var> added = bias.declared() ? std::optional(parameter(bias)) : std::nullopt;
  if (added) {
    expect_shape(*added, {weight.shape[0]}, "linear.bias");
  }
  const WeightRows used = rows.value_or(WeightRows{.first = 0, .count = weight.shape[0]});
  if (used.count == weight.shape[0] && !packed_.empty()) {
    std::optional<PackedMatrix>& packed = packed_[static_cast<std::size_t>(weight.block)];
    if (!packed) {
      const Tensor value = store_.value(weight);
      const Index in = value.dim(1);
      packed.emplace(MatrixView{value.data(), in, true}, in, value.dim(0), precision);
    }
    return packed_linear(x, *packed, added);
  }
  return linear_with_rows(x, parameter(weight), added, used, precision);
}

Dropout Pass::dropout(double probability, std::string_view path, const Segments& segments) const {
  if (!training_ || probability == 0) {
    return {};
  }
  return {.probability = probability, .draws = Draws(seed_, path, step_, segments.first_row)};
}

std::optional<Draws> Pass::step_draws(std::string_view path) const {
  return training_ ? std::optional(Draws(seed_, path, step_)) : std::nullopt;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
