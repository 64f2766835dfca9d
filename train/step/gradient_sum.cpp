#include "train/step/gradient_sum.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"
#include "core/kernel/rows.hpp"
#include "core/tape/finite.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

GradientSums place_for_sums(const ParameterStore& store,
                            const std::vector<ParameterGradients*>& shards) {
  GradientSums sums;
  sums.reserve(static_cast<std::size_t>(store.blocks()));
  for (Index block = 0; block < store.blocks(); ++block) {
    const auto wrote = [block](const ParameterGradients* shard) { return shard->written(block); };
    const auto first = std::ranges::find_if(shards, wrote);
    sums.push_back(first == shards.end() ? Tensor::zeros(store.block_shape(block))
                                         : (*first)->slot(block).memory);
  }
  return sums;
}

// The first shard has written to `sum`. Adding the last shard, scaling and squaring is one pass
// over memory.
double sum_gradients(const BlockRange& range, const std::vector<ParameterGradients*>& shards,
                     Scalar scale, Scalar* sum) {
  const Scalar* last = nullptr;
  for (const ParameterGradients* shard : shards) {
    if (!shard->written(range.block)) {
      continue;
    }
    if (const Scalar* part = shard->data(range.block) + range.offset; part != sum) {
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

void report_not_finite(const ParameterStore& store, const GradientSums& sums) {
  for (const NamedParameter& parameter : store.parameters()) {
    const Tensor gradient = sums[static_cast<std::size_t>(parameter.block)].part(
        parameter.offset - store.block_begin(parameter.block), parameter.shape);
    const Index bad = first_not_finite(gradient);
    if (bad >= 0) {
      throw NumericError(fmt::format("the gradient of {} {} is not finite: element {} is {}",
                                     parameter.name, parameter.shape.to_string(), bad,
                                     gradient.data()[bad]));
    }
  }
  throw NumericError("the gradient is too large: its norm overflows");
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
