// Softmax over the rows of a matrix, its logarithm, and the cross-entropy of token predictions.
#pragma once

#include "core/memory/pool.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Var softmax(const Var& x);  // y_nd = exp(x_nd) / Σ_k exp(x_nk).  x, y: (N, D).  Throws ShapeError

Var log_softmax(const Var& x);  // y_nd = x_nd - ln Σ_k exp(x_nk)

struct CrossEntropy {
  Var loss;  // (1): Σ_n -Σ_v q_v log p_v in nats, where q = (1 - smoothing) onehot + smoothing / V
  double negative_log_likelihood;  // Σ_n -log p of the target, without smoothing
  Index correct;              // rows whose largest logit (the first one if equal) is the target's
  PoolVector<double> by_row;  // -log p of each row's target
};

// logits: (N, V), targets: N of them. Label smoothing as in Szegedy et al. 2016, section 7. Throws
// ShapeError. If the logits are moved in, their memory is overwritten with their gradient while it
// is cached. Otherwise the logits are copied if a gradient is needed.
CrossEntropy cross_entropy(Var logits, std::span<const TokenId> targets, Scalar smoothing = 0);

}}  // namespace tapehead::TAPEHEAD_PRECISION
