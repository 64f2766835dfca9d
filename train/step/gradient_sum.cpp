#include "train/step/gradient_sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/kernel/row_kernels.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

GradientSums::GradientSums(const ParameterStore& store, std::span<const ShardGradients> shards,
                           const Slice& slice) {
  places_.reserve(static_cast<std::size_t>(store.blocks()));
  for (Index block = 0; block < store.blocks(); ++block) {
    const auto wrote = [block](const ShardGradients& shard) { return shard.written(block); };
    const auto shard = std::ranges::find_if(shards, wrote);
    if (store.frozen(block) || slice_of(store, block).overlap(slice).size() == 0) {
      places_.push_back({});
    } else if (shard == shards.end()) {
      places_.push_back({.memory = Tensor::zeros(store.block_shape(block)), .first = 0});
    } else {
      places_.push_back({.memory = shard->memory(block), .first = shard->first(block)});
    }
  }
}

// The first shard has written to `sum`. Adding the last shard, scaling and squaring is one pass
// over memory.
double sum_gradients(const BlockRange& range, std::span<const ShardGradients> shards, Scalar scale,
                     Scalar* sum) {
  const Scalar* last = nullptr;
  for (const ShardGradients& shard : shards) {
    if (!shard.written(range.block)) {
      continue;
    }
    if (const Scalar* part = shard.at(range.block, range.offset); part != sum) {
      if (last != nullptr) {
        add_to(sum, last, range.count);
      }
      last = part;
    }
  }
  const Lanes s(scale);
  const auto square = [](const Lanes& a) { return a * a; };
  const Scalar squares =
      last == nullptr
          ? map_and_sum_terms(
                range.count, sum, [s](const Lanes& a) { return s * a; }, square, sum)
          : map_and_sum_terms(
                range.count, sum, [s](const Lanes& a, const Lanes& b) { return s * (a + b); },
                square, sum, last);
  return static_cast<double>(squares);
}

std::string not_finite_in(const ParameterStore& store, GradientSums& sums, const Slice& slice) {
  for (const NamedParameter& parameter : store.parameters()) {
    const Slice shared = parameter.frozen ? Slice{} : slice_of(parameter).overlap(slice);
    for (Index i = shared.begin; i < shared.end; ++i) {
      const Scalar number = *sums.at(parameter.block, i - store.block_begin(parameter.block));
      if (!std::isfinite(number)) {
        return fmt::format("the gradient of {} {} is not finite: element {} is {}", parameter.name,
                           parameter.shape.to_string(), i - parameter.offset, number);
      }
    }
  }
  return "";
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
