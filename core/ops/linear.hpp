// The linear map, nearly all of a transformer's arithmetic; matrix product and transpose.
#pragma once

#include "core/product/matrix_product.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// y = x Wᵀ + b.  x: (N, in), weight: (out, in), bias: (out) or none; y: (N, out).  Throws
// ShapeError.
Var linear(const Var& x, const Var& weight, const std::optional<Var>& bias = {});

struct WeightRows {
  Index first;
  Index count;
};

// linear() with these rows of the weight; y: (N, rows.count). The bias has all rows or only these.
// With `precision` bfloat16, the factors of x Wᵀ, dy W and dyᵀ x are rounded.
Var linear_with_rows(const Var& x, const Var& weight, const std::optional<Var>& bias,
                     WeightRows rows, Precision precision = Precision::float32);

// linear() with a weight that is packed as (in, out), for passes that record nothing.
Var packed_linear(const Var& x, const PackedMatrix& weight, const std::optional<Var>& bias);

// y = a b.  a: (N, K), b: (K, M); y: (N, M).  Throws ShapeError.
Var matmul(const Var& a, const Var& b);

Var transpose(const Var& x);  // y = xᵀ.  x: (N, M); y: (M, N).  Throws ShapeError

}}  // namespace tapehead::TAPEHEAD_PRECISION
