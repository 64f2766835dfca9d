// The additive score of Bahdanau et al. 2015 (section 3.1, where q is a decoder's state and k an
// annotation): f(q, k) = Σ_c v_c tanh(q_c + k_c), where v is learned for each head.
#pragma once

#include "core/ops/attention/pair_score.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

class AdditiveScore : public PairScore {
 public:
  Index weight_count(Index d_key) const override { return d_key; }
  void scores(const PairPanel& pairs, Scalar* to, Index step) const override;
  void gradients(const PairPanel& pairs, const Scalar* dscores, Index step,
                 const PairGradients& to) const override;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
