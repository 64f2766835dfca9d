#include "nn/pass.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

Var Pass::parameter(const Parameter& parameter) {
  if (leaves_.empty()) {
    leaves_.resize(static_cast<std::size_t>(store_.blocks()));
  }
  std::optional<Var>& leaf = leaves_[static_cast<std::size_t>(parameter.block)];
  if (!leaf) {
    const Tensor value = store_.value(parameter);
    leaf = gradients_ == nullptr ? tape_.constant(value)
                                 : tape_.parameter(value, gradients_->slot(parameter.block),
                                                   &store_.module_of(parameter.block));
  }
  return *leaf;
}

Dropout Pass::dropout(double probability, std::string_view path, const Segments& segments) const {
  if (!training_ || probability == 0) {
    return {};
  }
  return {.probability = probability, .draws = Draws(seed_, path, step_, segments.first_row)};
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
