// What one core can do at best: multiply matrices, and copy.
#pragma once

#include "core/types.hpp"

namespace tapehead {

// The best of many products (rows, depth) (depth, columns)ᵀ, by OpenBLAS and by our own kernel, in
// GF/s.
double product_rate(Index rows, Index columns, Index depth);

// That of products of 1024 x 1024 matrices: what model FLOP utilisation is measured against.
double sgemm_rate();

// Copying more than the caches hold, in GB/s (1e9 bytes), read and written bytes together.
double copy_rate();

}  // namespace tapehead
