// The mean of the probabilities that several models give to the same tokens, in logarithms.
#pragma once

#include <span>

#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// log Σ_v exp(z_v), in double precision. Throws NumericError if a logit is not finite.
double log_sum_exp(std::span<const Scalar> logits);

// log(1/K Σ_k exp(l_k)). Of equal numbers it is that number, exactly.
double log_mean_exp(std::span<const double> logs);

// log(1/K Σ_k softmax(z_k)), row by row, for the logits z_k of K models; all are (N, V). Throws
// NumericError if a logit is not finite.
Tensor mean_log_probabilities(std::span<const Tensor> logits);

}}  // namespace tapehead::TAPEHEAD_PRECISION
