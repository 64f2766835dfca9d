// xtensor for ops of your own: `view` shows a Tensor to it, `tensor` evaluates an expression into
// one, and xt::linalg has products.
//
//   const Tensor y = tensor(xt::tanh(xt::linalg::dot(view(x), xt::transpose(view(w)))));
//
// Products run in OpenBLAS. Call `prepare_blas` at the start of the program: each thread that
// multiplies then does so by itself, and results do not depend on the number of cores.
#pragma once

// GCC 12 takes the undefined operand inside AVX-512 intrinsics, which xtensor's loops are made of,
// for a mistake.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <xtensor-blas/xlinalg.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xview.hpp>

#include "core/product/blas_kernels.hpp"
#include "core/tape/tape.hpp"
#include "core/tape/xtensor.hpp"
#pragma GCC diagnostic pop
