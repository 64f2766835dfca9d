// A bias on attention without Vars, and the memory for its gradients, as the kernel uses them.
#pragma once

#include "core/ops/attention/bias.hpp"
#include "core/ops/attention/distance.hpp"
#include "core/sequence/segments.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The values of a bias, without Vars.
struct BiasValues {
  explicit BiasValues(const AttentionBias& bias);

  bool any() const { return !slopes.empty() || given(by_head) || given(by_query) || given(values); }
  static bool given(const Tensor& values) { return values.shape().rank() > 0; }
  HeadBias head(const Segment& queries, Index head) const;

  DistanceBuckets buckets;
  PoolVector<double> slopes;
  Tensor by_head;
  Tensor by_query;
  Tensor values;
};

// The memory for the gradients of a bias; null where not needed.
class BiasTargets {
 public:
  // `input`: the number of the bias' first Var among the op's inputs.
  BiasTargets(Gradients& g, const BiasValues& bias, Index input);

  HeadBiasTargets head(const Segment& queries, Index head) const;

 private:
  Index count_;
  Index stride_ = 0;
  Scalar* by_head_ = nullptr;
  Scalar* by_query_ = nullptr;
  Scalar* values_ = nullptr;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
