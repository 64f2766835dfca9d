// The gates of all of a model's heads: how many are open.
#pragma once

#include <vector>

#include "nn/transformer.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

class OpenHeads {
 public:
  explicit OpenHeads(const Transformer& transformer);

  // Heads with gates; those of attentions with the same weights once.
  Index gated() const { return gated_; }

  // The number of open heads that is to be expected of a step's draws, Σ P(z > 0) (Voita et al.
  // 2019, equation 8); (1). There must be gates.
  Var expected(Pass& pass) const;
  double expected(const ParameterStore& store) const;

  const std::vector<Parameter>& gates() const { return log_alphas_; }

 private:
  std::vector<Parameter> log_alphas_;
  Index gated_ = 0;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION
